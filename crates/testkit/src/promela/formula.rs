//! Random formulas about random models, as `ltl` blocks.

use super::Generator;

/// The text of a model with a formula about its globals, channels and processes, or in one case of four without one, for
/// the sake of its labels; the same for the same seed. In half of the others what the model asserts is only printed, so
/// that the formula decides. And beside a formula no label says `accept`: SPIN takes those for part of the property.
pub fn random_promela_with_formula(seed: u64) -> String {
    let mut generator = Generator::new(seed);
    generator.model();
    if seed % 4 == 3 {
        return generator.text;
    }
    if seed.is_multiple_of(2) {
        generator.text = generator.text.replace("assert(", "printf(\"%d\\n\", ");
    }
    let size = 1 + generator.below(5);
    let formula = generator.formula(size);
    generator.line(&format!("ltl f {{ {formula} }}"));
    generator.text.replace("accept", "label")
}

/// The text of a model with so many formulas, `f0`, `f1` and so on, and nothing that it asserts; the same for the same seed.
pub fn random_promela_with_formulas(seed: u64, formulas: usize) -> String {
    let mut generator = Generator::new(seed);
    generator.model();
    generator.text = generator.text.replace("assert(", "printf(\"%d\\n\", ").replace("accept", "label");
    for number in 0..formulas {
        let size = 1 + generator.below(5);
        let formula = generator.formula(size);
        generator.line(&format!("ltl f{number} {{ {formula} }}"));
    }
    generator.text
}

impl Generator {
    /// A formula with so many operators.
    fn formula(&mut self, size: usize) -> String {
        if size == 0 {
            return self.atom();
        }
        match self.below(10) {
            0..=1 => format!("([] {})", self.formula(size - 1)),
            2..=3 => format!("(<> {})", self.formula(size - 1)),
            4 => format!("(! {})", self.formula(size - 1)),
            _ => {
                let left = self.below(size);
                let operator = self.rng.pick(&["&&", "||", "->", "U", "U", "V", "W", "<->"]);
                format!("({} {operator} {})", self.formula(left), self.formula(size - 1 - left))
            }
        }
    }

    /// A question that can be asked from outside all processes, and that a formula can contain.
    fn atom(&mut self) -> String {
        let globals = self.globals.clone();
        loop {
            let atom = self.condition(&globals);
            if !["_pid", "timeout", " : ", "->"].iter().any(|part| atom.contains(part)) {
                return format!("({atom})");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{random_promela_with_formula, random_promela_with_formulas};

    #[test]
    fn every_operator_occurs() {
        let all: String = (0..200).map(random_promela_with_formula).collect();
        let formulas: Vec<&str> = all.lines().filter(|line| line.starts_with("ltl f {")).collect();
        assert_eq!(formulas.len(), 150);
        for operator in ["[]", "<>", "!", "&&", "||", "->", " U ", " V ", " W ", "<->", "@", "len(", "?["] {
            assert!(formulas.iter().any(|formula| formula.contains(operator)), "{operator} never occurs");
        }
        assert_eq!(random_promela_with_formula(7), random_promela_with_formula(7));
        assert_eq!(random_promela_with_formulas(7, 5).matches("\nltl f").count(), 5);
    }
}
