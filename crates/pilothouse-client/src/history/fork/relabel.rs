//! Writing the lines of a copy: new uuids, new session, the rest as it was.

use std::collections::{HashMap, HashSet};

use super::super::SessionId;
use super::super::entry::{Entry, Kind, Name, Names};
use super::super::index::Index;
use super::super::json::{Value, quoted};
use super::super::line::block_is;
use super::super::rewrite::{Edit, rewrite, rewrite_items};

/// Properties of the source session that its messages must not take into the copy.
const SESSION_FIELDS: [&str; 8] = [
    "teamName",
    "agentName",
    "sessionKind",
    "slug",
    "sourceToolAssistantUUID",
    "summarizedTurnPromptUuids",
    "droppedPromptUuids",
    "turnAttributionKey",
];

pub(super) struct Relabel<'a> {
    pub(super) names: &'a Names,
    /// The new uuid of each line that is written.
    pub(super) uuids: &'a HashMap<Name, String>,
    pub(super) kept: &'a Index,
    /// Compactions with this summary kept nothing.
    pub(super) emptied: Option<Name>,
    pub(super) from: &'a SessionId,
    pub(super) to: &'a SessionId,
}

impl Relabel<'_> {
    /// A link of the chain, `at` a new time if one is given.
    pub(super) fn link(&self, text: &str, entry: &Entry, at: Option<&str>) -> String {
        let line = Value::new(text);
        let original = line.get("uuid").map_or("null", Value::raw);
        let mut edits = vec![
            ("uuid", Edit::Set(self.json(self.uuids.get(&entry.uuid)))),
            ("parentUuid", Edit::Set(self.json(self.parent(entry)))),
            (
                "logicalParentUuid",
                Edit::Replace(
                    self.json(entry.logical_parent.and_then(|uuid| self.uuids.get(&uuid))),
                ),
            ),
            ("sessionId", Edit::text(self.to.as_str())),
            ("isSidechain", Edit::Set("false".to_owned())),
            (
                "forkedFrom",
                Edit::Set(format!(r#"{{"sessionId":"{}","messageUuid":{original}}}"#, self.from)),
            ),
        ];
        edits.extend(at.map(|at| ("timestamp", Edit::text(at))));
        edits.extend(SESSION_FIELDS.iter().map(|field| (*field, Edit::Drop)));
        match entry.kind {
            Kind::System => {
                let subtype = line.get("subtype").and_then(Value::text);
                if subtype.is_some_and(|subtype| subtype == "model_refusal_fallback") {
                    edits.push(("neutralizedByFork", Edit::Set("true".to_owned())));
                }
                if let Some(metadata) = line.get("compactMetadata").filter(|own| own.is_object()) {
                    let metadata = self.compact_metadata(metadata, entry);
                    edits.push(("compactMetadata", Edit::Replace(metadata)));
                }
            }
            Kind::Attachment => {
                if let Some(own) = line.get("attachment").and_then(|own| self.attachment(own)) {
                    edits.push(("attachment", Edit::Replace(own)));
                }
            }
            Kind::User | Kind::Assistant | Kind::Progress => {}
        }
        rewrite(line, &edits)
    }

    /// Any other line.
    pub(super) fn other(&self, text: &str) -> String {
        let line = Value::new(text);
        let renamed = |key| self.json(line.get(key).and_then(|own| self.renamed(own)));
        rewrite(
            line,
            &[
                ("sessionId", Edit::Replace(quoted(self.to.as_str()))),
                ("uuid", Edit::Replace(renamed("uuid"))),
                ("parentUuid", Edit::Replace(renamed("parentUuid"))),
            ],
        )
    }

    fn json(&self, uuid: Option<&String>) -> String {
        uuid.map_or_else(|| "null".to_owned(), |uuid| quoted(uuid))
    }

    fn renamed(&self, uuid: Value<'_>) -> Option<&String> {
        self.uuids.get(&self.names.get(&uuid.text()?)?)
    }

    /// The nearest ancestor that is written.
    fn parent(&self, entry: &Entry) -> Option<&String> {
        let mut passed = HashSet::new();
        let mut current = entry.parent;
        while let Some(uuid) = current {
            if let Some(written) = self.uuids.get(&uuid) {
                return Some(written);
            }
            if !passed.insert(uuid) {
                return None;
            }
            current = self.kept.entries[self.kept.slot(uuid)?].parent;
        }
        None
    }

    fn compact_metadata(&self, metadata: Value<'_>, entry: &Entry) -> String {
        let own = entry.boundary.as_ref().filter(|boundary| !boundary.rewound);
        let emptied = self.emptied.is_some()
            && own.is_some_and(|boundary| boundary.kept.anchor() == self.emptied);
        if emptied {
            let drop = |key| (key, Edit::Drop);
            return rewrite(
                metadata,
                &["preservedMessages", "preservedSegment", "postTokens", "runningTurnSends"]
                    .map(drop),
            );
        }
        let part = |key: &str, inner: &[&str]| {
            let part = metadata.get(key).filter(|part| part.is_object())?;
            let edits: Vec<(&str, Edit)> = inner
                .iter()
                .filter_map(|key| Some((*key, Edit::Replace(self.all_renamed(part.get(key)?)))))
                .collect();
            Some(rewrite(part, &edits))
        };
        let mut edits = vec![("runningTurnSends", Edit::Drop)];
        edits.extend(
            part("preservedMessages", &["anchorUuid", "uuids", "allUuids"])
                .map(|json| ("preservedMessages", Edit::Replace(json))),
        );
        edits.extend(
            part("preservedSegment", &["headUuid", "anchorUuid", "tailUuid"])
                .map(|json| ("preservedSegment", Edit::Replace(json))),
        );
        rewrite(metadata, &edits)
    }

    /// A uuid or an array of them, renamed where they were.
    fn all_renamed(&self, value: Value<'_>) -> String {
        let one = |value: Value<'_>| {
            self.renamed(value).map_or_else(|| value.raw().to_owned(), |uuid| quoted(uuid))
        };
        if value.is_array() { rewrite_items(value, |item| Some(one(item))) } else { one(value) }
    }

    fn attachment(&self, own: Value<'_>) -> Option<String> {
        if block_is(own, "queued_command") {
            let source = self.renamed(own.get("source_uuid")?)?;
            Some(rewrite(own, &[("source_uuid", Edit::Replace(quoted(source)))]))
        } else if block_is(own, "deferred_tools_record") {
            let announced = own.get("nameOnlyAnnouncements").filter(|own| own.is_array())?;
            let announced =
                rewrite_items(announced, |item| self.renamed(item).map(|uuid| quoted(uuid)));
            Some(rewrite(own, &[("nameOnlyAnnouncements", Edit::Replace(announced))]))
        } else {
            None
        }
    }
}
