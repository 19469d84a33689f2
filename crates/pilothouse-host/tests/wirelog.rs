//! Logs on disk: read by range in both forms, whole after every crash, and from any file.
#![allow(clippy::expect_used, clippy::panic)]

use std::path::{Path, PathBuf};

use pilothouse_host::wirelog::{
    ARCHIVE, ArchiveError, Decoder, Exit, FILE, Head, Log, Record, Speaker, Writer, compress,
    read_any,
};
use proptest::prelude::*;

fn write(dir: &Path, bytes: &[u8]) {
    std::fs::write(dir.join(FILE), bytes).expect("written");
}

/// All of a log, by ranges of odd sizes.
fn read(dir: &Path) -> Vec<u8> {
    let mut log = Log::open(dir).expect("a log");
    let len = log.end().expect("a length");
    let mut all = Vec::new();
    while (all.len() as u64) < len {
        all.extend(log.range(all.len() as u64, 777_777).expect("readable"));
    }
    assert_eq!(log.range(len, 10).expect("readable"), b"", "nothing after the end");
    all
}

/// Up to some megabytes that are not all the same.
fn sample(bytes: usize) -> Vec<u8> {
    static TEXT: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
    let text = TEXT.get_or_init(|| {
        let mut state = 1u32;
        let mut text = Vec::new();
        while text.len() < 3_500_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            text.extend_from_slice(format!("o {state} {{\"n\":{}}}\n", state >> 7).as_bytes());
        }
        text
    });
    text[..bytes].to_vec()
}

#[test]
fn compressed_or_not_every_range_is_the_same() {
    for size in [0, 1, 1 << 20, (1 << 20) + 1, 3_500_000] {
        let dir = tempfile::tempdir().expect("a directory");
        let bytes = sample(size);
        write(dir.path(), &bytes);
        assert_eq!(read(dir.path()), bytes);
        compress(dir.path()).expect("compressed");
        assert!(!dir.path().join(FILE).exists());
        assert_eq!(read(dir.path()), bytes);
        compress(dir.path()).expect("once more is no harm");
        assert_eq!(read(dir.path()), bytes);
        if size > 1 << 20 {
            let stored = std::fs::metadata(dir.path().join(ARCHIVE)).expect("it").len();
            assert!(stored < size as u64 / 2, "{stored} of {size}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_range_of_an_archive(size in 0usize..3_000_000, ranges in proptest::collection::vec((0.0..1.1f64, 0usize..1_500_000), 1..8)) {
        let dir = tempfile::tempdir().expect("a directory");
        let bytes = sample(size);
        write(dir.path(), &bytes);
        compress(dir.path()).expect("compressed");
        let mut log = Log::open(dir.path()).expect("a log");
        for (from, len) in ranges {
            let from = (size as f64 * from) as usize;
            let expected = bytes.get(from..).unwrap_or_default();
            let expected = &expected[..expected.len().min(len)];
            prop_assert_eq!(&log.range(from as u64, len).expect("readable")[..], expected);
        }
    }

    #[test]
    fn any_bytes_are_records_wherever_they_are_cut(bytes in proptest::collection::vec(
        prop_oneof![Just(b'\n'), Just(b' '), Just(b'o'), Just(b'1'), any::<u8>()], 0..300), cut in 1usize..40)
    {
        let mut decoder = Decoder::new(5);
        let mut all = Vec::new();
        for chunk in bytes.chunks(cut) {
            decoder.feed(chunk);
            all.extend(std::iter::from_fn(|| decoder.next_record()));
        }
        let newlines = bytes.iter().filter(|byte| **byte == b'\n').count();
        prop_assert_eq!(all.len(), newlines);
        let mut offset = 5;
        for found in &all {
            prop_assert_eq!(found.offset, offset);
            offset = found.end;
            // What is read from its own offset is the same record.
            let mut again = Decoder::new(found.offset);
            again.feed(&bytes[found.offset as usize - 5..]);
            prop_assert_eq!(again.next_record(), Some(found.clone()));
        }
        prop_assert_eq!(offset + decoder.unfinished() as u64, 5 + bytes.len() as u64);
    }

    #[test]
    fn a_damaged_archive_is_an_error_or_the_truth(at in 0.0..1.0f64, flip in 1u8..=255, cut in any::<bool>()) {
        let dir = tempfile::tempdir().expect("a directory");
        let bytes = sample(1_500_000);
        write(dir.path(), &bytes);
        compress(dir.path()).expect("compressed");
        let path = dir.path().join(ARCHIVE);
        let mut stored = std::fs::read(&path).expect("it");
        let at = (stored.len() as f64 * at) as usize;
        if cut { stored.truncate(at) } else { stored[at] ^= flip }
        std::fs::write(&path, &stored).expect("written");
        let result = Log::open(dir.path()).and_then(|mut log| {
            let mut all = log.range(0, 1 << 20)?;
            all.extend(log.range(1 << 20, 1 << 20)?);
            Ok(all)
        });
        match result {
            Ok(all) => prop_assert!(!cut && all == bytes, "only the skipped frame's head says nothing"),
            Err(ArchiveError::Damaged(_)) => {}
            Err(error) => prop_assert!(false, "{error}"),
        }
    }
}

#[test]
fn a_crash_at_any_step_of_compressing_leaves_a_whole_log() {
    let bytes = sample(2_100_000);
    let done = tempfile::tempdir().expect("a directory");
    write(done.path(), &bytes);
    compress(done.path()).expect("compressed");
    let archive = std::fs::read(done.path().join(ARCHIVE)).expect("it");
    let files = |dir: &Path| {
        let mut names: Vec<_> = std::fs::read_dir(dir)
            .expect("a directory")
            .map(|entry| entry.expect("an entry").file_name())
            .collect();
        names.sort();
        names
    };
    // What is there when it dies while writing, before the renaming, and before the removal.
    let steps: [&[(&str, &[u8])]; 4] = [
        &[(FILE, &bytes), ("wire.log.zst.new", &archive[..1000])],
        &[(FILE, &bytes), ("wire.log.zst.new", &archive)],
        &[(FILE, &bytes), (ARCHIVE, &archive)],
        &[(ARCHIVE, &archive)],
    ];
    for step in steps {
        let dir = tempfile::tempdir().expect("a directory");
        for (name, content) in step {
            std::fs::write(dir.path().join(name), content).expect("written");
        }
        assert_eq!(read(dir.path()), bytes);
        compress(dir.path()).expect("it goes on");
        assert_eq!(read(dir.path()), bytes);
        assert_eq!(files(dir.path()), [ARCHIVE], "nothing else is left");
    }
}

#[test]
fn no_log_is_an_error() {
    let dir = tempfile::tempdir().expect("a directory");
    assert!(matches!(Log::open(dir.path()), Err(ArchiveError::Io(_))));
    assert!(matches!(compress(dir.path()), Err(ArchiveError::Io(_))));
}

#[test]
fn records_come_back_from_both_forms() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut writer = Writer::create(&dir.path().join(FILE)).expect("created");
    writer.line(1, Head::Started(77), b"{}");
    writer.line(2, Head::In(1), b"{\"type\":\"user\"}");
    let long = vec![b'x'; 2_500_000];
    writer.line(3, Head::Out, &long);
    writer.line(4, Head::Err, b"\xff");
    writer.exited(5, Exit { code: Some(1), signal: None });
    writer.flush().expect("written");
    assert!(Writer::create(&dir.path().join(FILE)).is_err(), "a log is written once");
    let all = || -> Vec<Record> {
        let records = Log::open(dir.path()).expect("a log").records(0);
        records.map(|found| found.expect("readable").record).collect()
    };
    let plain = all();
    assert_eq!(plain.len(), 5);
    assert!(matches!(&plain[2], Record::Out { at: 3, line } if *line == long));
    compress(dir.path()).expect("compressed");
    assert_eq!(all(), plain);
    let exit = Log::open(dir.path()).and_then(|mut log| log.exit()).expect("readable");
    assert_eq!(exit, Some(Exit { code: Some(1), signal: None }));

    let spoken: Vec<_> =
        read_any(dir.path()).expect("a run").map(|it| it.expect("a line")).collect();
    assert_eq!(spoken.len(), 2);
    assert_eq!((spoken[0].by, spoken[0].at), (Speaker::Host, Some(2)));
    assert_eq!(spoken[1].line, long);
    let by_name = read_any(&dir.path().join(ARCHIVE)).expect("an archive");
    assert_eq!(by_name.map(|it| it.expect("a line")).collect::<Vec<_>>(), spoken);
}

#[test]
fn transcripts_are_read_line_for_line() {
    let transcripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../transcripts");
    let mut files = 0;
    for version in std::fs::read_dir(transcripts).expect("transcripts").flatten() {
        let inside = std::fs::read_dir(version.path()).into_iter().flatten().flatten();
        let paths = inside.map(|entry| entry.path());
        for path in paths.filter(|path| path.extension().is_some_and(|it| it == "jsonl")) {
            check(path);
            files += 1;
        }
    }
    assert!(files > 10, "{files} transcripts");

    fn check(path: PathBuf) {
        let text = std::fs::read_to_string(&path).expect("readable");
        let spoken: Vec<_> =
            read_any(&path).expect("a file").map(|it| it.expect("a line")).collect();
        assert_eq!(spoken.len(), text.lines().count());
        for (spoken, line) in spoken.iter().zip(text.lines()) {
            let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
            let host = value["dir"] == "in";
            assert_eq!(spoken.by == Speaker::Host, host);
            match &value["line"] {
                serde_json::Value::String(text) => assert_eq!(spoken.line, text),
                json => {
                    let said: serde_json::Value =
                        serde_json::from_slice(&spoken.line).expect("JSON");
                    assert_eq!(said, *json);
                }
            }
        }
    }
}

#[test]
fn what_is_neither_is_an_error() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("x.jsonl");
    std::fs::write(&path, "{\"dir\":\"out\",\"line\":\"no \\\"JSON\\\"\"}\n\n{\"other\":1}\n")
        .expect("it");
    let mut lines = read_any(&path).expect("a file");
    assert_eq!(lines.next().expect("one").expect("a line").line, "no \"JSON\"");
    let error = lines.next().expect("another").expect_err("no transcript");
    assert!(error.to_string().starts_with("line 3 "), "{error}");
    std::fs::write(&path, "").expect("it");
    assert_eq!(read_any(&path).expect("a file").count(), 0);
}
