//! Every part of every campaign with its usual seeds: a test each. `cargo run --release -p elnath-conformance -- list` shows
//! what they are, and runs them with other seeds.

use elnath_conformance::CAMPAIGNS;

macro_rules! campaigns {
    ($($module:ident $campaign:literal { $($test:ident $part:literal)* })*) => {
        $(mod $module {
            $(#[test]
            fn $test() {
                elnath_conformance::test($campaign, $part);
            })*
        })*

        #[test]
        fn no_part_is_forgotten() {
            let here = [$($(concat!($campaign, " ", $part)),*),*];
            let parts = |campaign: &'static elnath_conformance::Campaign| {
                campaign.parts().map(|part| format!("{} {}", campaign.name, part.name))
            };
            let there: Vec<String> = CAMPAIGNS.iter().flat_map(parts).collect();
            assert_eq!(here.as_slice(), there);
        }
    };
}

campaigns! {
    engines "engines" {
        programs "programs"
        models "models"
        rare "rare"
        own "own"
        people "people"
        gates "gates"
        specifications "specifications"
        tiered "tiered"
        labels "labels"
    }
    reductions "reductions" {
        programs "programs"
        models "models"
        rare "rare"
        tandems "tandems"
        corners "corners"
        creation "creation"
        watched "watched"
        people "people"
        gates "gates"
        specifications "specifications"
        simple_programs "simple-programs"
        simple_models "simple-models"
        sliced "sliced"
        simple_rare "simple-rare"
        simple_tandems "simple-tandems"
        simple_corners "simple-corners"
        simple_watched "simple-watched"
        simple_people "simple-people"
        simple_gates "simple-gates"
        simple_specifications "simple-specifications"
        reachable "reachable"
        formulas "formulas"
        created "created"
        claims "claims"
        progress "progress"
    }
    symmetry "symmetry" {
        orbits "orbits"
        ends "ends"
        numbered "numbered"
        told "told"
        people "people"
        reachable "reachable"
        formulas "formulas"
        labels "labels"
        shortest "shortest"
    }
    combinations "combinations" {
        random "random"
        rare "rare"
        people "people"
    }
    machines "machines" {
        blocked "blocked"
    }
    together "together" {
        together "together"
        components "components"
    }
    runs "runs" {
        errors "errors"
        polished "polished"
        lassos "lassos"
    }
    interpreter "interpreter" {
        verified "verified"
        text "text"
        naive "naive"
        gates "gates"
    }
    searches "searches" {
        sleep "sleep"
        sleep_runs "sleep-runs"
        algorithm_a "algorithm-a"
        path_test "path-test"
        deterministic "deterministic"
        algorithm_b "algorithm-b"
        se05 "se05"
        scc "scc"
        streett "streett"
        shortest "shortest"
        larger "larger"
        cndfs "cndfs"
        weak_by_many "weak-by-many"
        ufscc "ufscc"
    }
    quotients "quotients" {
        definitions "definitions"
        larger "larger"
    }
    networks "networks" {
        products "products"
        congruence "congruence"
        minimised "minimised"
        texts "texts"
    }
    lotos "lotos" {
        behaviours "behaviours"
        renaming "renaming"
        equations "equations"
        texts "texts"
    }
    estelle "estelle" {
        specifications "specifications"
        texts "texts"
    }
    petri "petri" {
        markings "markings"
        properties "properties"
        coverability "coverability"
        texts "texts"
        sample "sample"
        contest "contest"
    }
    relations "relations" {
        strong "strong"
        divergence_branching "divergence-branching"
        branching "branching"
        delay "delay"
        weak "weak"
        tau_star_a "tau-star-a"
        safety "safety"
        simulation "simulation"
        weak_simulation "weak-simulation"
        ready_simulation "ready-simulation"
        second "second"
        trace "trace"
        weak_trace "weak-trace"
        failures "failures"
        failures_divergences "failures-divergences"
        antichain "antichain"
        lattice "lattice"
        philosophers "philosophers"
        mutants "mutants"
        limits "limits"
        tight "tight"
        depth "depth"
    }
    temporal "temporal" {
        truth "truth"
        fair "fair"
        accepting "accepting"
        labels "labels"
        successors "successors"
        faults "faults"
        unknown "unknown"
        faulty_successors "faulty-successors"
        finite_runs "finite-runs"
    }
    formulas "formulas" {
        well_known "well-known"
        translated "translated"
        simplified "simplified"
        printed "printed"
        classes "classes"
        stutter "stutter"
        one_proposition "one-proposition"
        two_propositions "two-propositions"
        three_actions "three-actions"
        sizes "sizes"
        strengths "strengths"
    }
    boundedness "boundedness" {
        explored "explored"
        relations "relations"
        independent "independent"
    }
    compatibility "compatibility" {
        definitions "definitions"
        kmc "kmc"
    }
    reference "reference" {
        figures "figures"
        verdicts "verdicts"
        infinite "infinite"
    }
    branching "branching" {
        mu "mu"
        ctl "ctl"
        linear "linear"
    }
}
