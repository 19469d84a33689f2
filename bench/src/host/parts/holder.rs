//! The memory of a holder that has held a few thousand lines.

use super::Terms;
use super::running::run;
use crate::host::Outcome;
use crate::host::bed::Bed;
use crate::host::report::Row;
use crate::host::script::Plan;

pub(super) async fn measure(terms: &Terms) -> Outcome<Vec<Row>> {
    let bed = Bed::new(&terms.programs)?;
    let ids = bed.sessions(4).await?;
    let daemon = bed.daemon()?;
    let plan = Plan { turns: 10, rate: 2_000 };
    let ran = run(&bed, &daemon, &ids, (1, plan), async { Ok(()) }).await?;
    let mebibytes = |kib: u64| kib as f64 / 1024.0 / ids.len() as f64;
    Ok(vec![
        Row::at_most("a holder, resident", mebibytes(ran.holders_kib), 3.0, " MiB"),
        Row::told(
            "the same, its share of what they have in common counted once",
            format!("{:.1} MiB", mebibytes(ran.holders_pss_kib)),
        ),
    ])
}
