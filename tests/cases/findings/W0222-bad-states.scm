scm tiny :
nb_channels = 1 ;
parameters : real a ;
automaton A :
initial : 0
state 0 :
to 0 : when true , 0 ! a ;
automaton B :
initial : 0
state 0 :
to 0 : when true , 0 ? a ;
bad_states :
(automaton A : in 0 : true)
