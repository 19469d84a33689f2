//! What all sessions took.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::call::Call;
use crate::http::openapi::{Got, NoBody, Nothing};
use crate::http::problem::{Fault, Problem};
use crate::store::{Days, MOST_DAYS, Usage};

/// How many days are told of, where that is not said.
const USUAL: i32 = 30;

/// Which days.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GetUsage {
    /// The first day, such as `2026-03-01`; 30 days up to the last if it is left out.
    #[serde(default)]
    from: Option<Date>,
    /// The last day; today if it is left out. At most 400 days can be asked for.
    #[serde(default)]
    to: Option<Date>,
    /// Where days begin and end, such as `Europe/Berlin`; UTC if it is left out.
    #[serde(default)]
    zone: Option<String>,
}

/// What sessions took on some days.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct UsageReport {
    /// The first day.
    from: Date,
    /// The last day.
    to: Date,
    /// Where they begin and end.
    zone: String,
    /// What was taken.
    #[serde(flatten)]
    usage: Usage,
}

pub(super) async fn get(
    call: Call<Nothing, GetUsage, NoBody>,
) -> Result<Got<UsageReport>, Problem> {
    let GetUsage { from, to, zone: name } = call.query;
    let name = name.unwrap_or_else(|| "UTC".to_owned());
    let wrong =
        |member: &'static str, detail: String| Problem::invalid(Fault::query(member, detail));
    let zone = TimeZone::get(&name).map_err(|_| {
        let detail = "there is no such time zone: use a name such as `Europe/Berlin`, or `UTC`";
        wrong("zone", detail.to_owned())
    })?;
    let to = to.unwrap_or_else(|| Timestamp::now().to_zoned(zone.clone()).date());
    let from = from.unwrap_or_else(|| to.saturating_sub((USUAL - 1).days()));
    let days = Days { from, to, zone };
    match days.count() {
        Some(count) if count <= MOST_DAYS => {}
        Some(count) => {
            let detail = format!("that would be {count} days; {MOST_DAYS} are the most");
            return Err(wrong("from", detail));
        }
        None => return Err(wrong("from", format!("{from} comes after {to}"))),
    }
    let usage = call.api.host.read(move |store| store.usage(&days)).await?;
    Ok(Got(UsageReport { from, to, zone: name, usage }))
}
