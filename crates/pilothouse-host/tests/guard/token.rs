//! The file with the token.

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use pilothouse_host::http::guard::{TOKEN_FILE, Token, TokenError};

fn set_mode(path: &std::path::Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_token_is_made_once_and_only_its_owner_can_read_it() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("a/b");
    let token = Token::load_or_create(&data).unwrap();
    assert!(token.reveal().len() == 46 && token.reveal().starts_with("ph_"));
    assert_eq!(data.join(TOKEN_FILE).metadata().unwrap().mode() & 0o777, 0o600);
    assert_eq!(data.metadata().unwrap().mode() & 0o777, 0o700);
    assert_eq!(Token::load_or_create(&data).unwrap(), token);
    assert!(!format!("{token:?}").contains(token.reveal()));
    let other = Token::replace(&data).unwrap();
    assert_ne!(other, token);
    assert_eq!(Token::load_or_create(&data).unwrap(), other);
    assert_eq!(std::fs::read_dir(&data).unwrap().count(), 1, "nothing is left beside it");
}

#[test]
fn accepts_a_token_without_prefix() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(TOKEN_FILE);
    let earlier = "0".repeat(43);
    std::fs::write(&path, &earlier).unwrap();
    set_mode(&path, 0o600);
    assert_eq!(Token::load_or_create(dir.path()).unwrap().reveal(), earlier);
}

#[test]
fn many_who_start_at_once_have_one_token() {
    let dir = tempfile::tempdir().unwrap();
    let tokens: Vec<_> = std::thread::scope(|scope| {
        let start = || scope.spawn(|| Token::load_or_create(dir.path()).unwrap());
        let threads: Vec<_> = (0..16).map(|_| start()).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(tokens.iter().all(|token| *token == tokens[0]));
}

#[test]
fn a_token_that_others_may_know_is_not_used() {
    let dir = tempfile::tempdir().unwrap();
    Token::load_or_create(dir.path()).unwrap();
    let path = dir.path().join(TOKEN_FILE);
    for mode in [0o640, 0o604, 0o660, 0o622] {
        set_mode(&path, mode);
        let error = Token::load_or_create(dir.path()).unwrap_err();
        assert!(matches!(error, TokenError::Exposed { .. }), "{error}");
        assert!(error.to_string().contains("delete"), "{error}");
    }
    set_mode(&path, 0o600);
    Token::load_or_create(dir.path()).unwrap();
}

#[test]
fn what_is_no_token_is_not_used() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(TOKEN_FILE);
    for text in ["", "short", "ph_", &"a".repeat(44), &"!".repeat(43), "\u{0}\u{ff}"] {
        std::fs::write(&path, text).unwrap();
        set_mode(&path, 0o600);
        let error = Token::load_or_create(dir.path()).unwrap_err();
        assert!(matches!(error, TokenError::Malformed { .. }), "{text:?}: {error}");
    }
    std::fs::remove_file(&path).unwrap();
    let elsewhere = dir.path().join("elsewhere");
    Token::load_or_create(&elsewhere).unwrap();
    symlink(elsewhere.join(TOKEN_FILE), &path).unwrap();
    let error = Token::load_or_create(dir.path()).unwrap_err();
    assert!(matches!(error, TokenError::Malformed { .. }), "{error}");
}
