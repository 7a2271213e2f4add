//! check --claim never => holds finding=W0107
int x;
active proctype P() { do :: x = (x + 1) % 3 od }
never {
  do
  :: true
  :: x == 100 -> break
  :: x == 101 -> break
  :: x == 102 -> break
  :: x == 103 -> break
  :: x == 104 -> break
  :: x == 105 -> break
  :: x == 106 -> break
  :: x == 107 -> break
  :: x == 108 -> break
  :: x == 109 -> break
  :: x == 110 -> break
  :: x == 111 -> break
  :: x == 112 -> break
  :: x == 113 -> break
  :: x == 114 -> break
  :: x == 115 -> break
  :: x == 116 -> break
  :: x == 117 -> break
  :: x == 118 -> break
  :: x == 119 -> break
  :: x == 120 -> break
  :: x == 121 -> break
  :: x == 122 -> break
  :: x == 123 -> break
  :: x == 124 -> break
  :: x == 125 -> break
  :: x == 126 -> break
  :: x == 127 -> break
  :: x == 128 -> break
  :: x == 129 -> break
  :: x == 130 -> break
  :: x == 131 -> break
  :: x == 132 -> break
  :: x == 133 -> break
  :: x == 134 -> break
  :: x == 135 -> break
  :: x == 136 -> break
  :: x == 137 -> break
  :: x == 138 -> break
  :: x == 139 -> break
  :: x == 140 -> break
  :: x == 141 -> break
  :: x == 142 -> break
  :: x == 143 -> break
  :: x == 144 -> break
  :: x == 145 -> break
  :: x == 146 -> break
  :: x == 147 -> break
  :: x == 148 -> break
  :: x == 149 -> break
  :: x == 150 -> break
  :: x == 151 -> break
  :: x == 152 -> break
  :: x == 153 -> break
  :: x == 154 -> break
  :: x == 155 -> break
  :: x == 156 -> break
  :: x == 157 -> break
  :: x == 158 -> break
  :: x == 159 -> break
  :: x == 160 -> break
  :: x == 161 -> break
  :: x == 162 -> break
  :: x == 163 -> break
  :: x == 164 -> break
  :: x == 165 -> break
  od;
accept: goto accept
}
