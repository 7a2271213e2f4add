/* expect error 8:31 "there is no channel 2" */ /* expect error 9:33 "`x` is not among the parameters" */ /* expect error 10:23 "conditions on data are not read" */ /* expect error 11:31 "assignments are not read" */ /* expect error 6:11 "there is no state `5`" */ /* expect warning 12:1 "bad states" */
scm broken :
nb_channels = 2 ;
parameters : real o ; real c ;
automaton sender :
initial : 5
state 0 :
to 1 : when true ,            2 ! o ;
to 1 : when true , 0          ! x ;
to 1 : when           o > 3 , 0 ! o ;
to 1 : when true , 0 ! c      with v = 3 ;
bad_states: (automaton sender : in 0 : true)
