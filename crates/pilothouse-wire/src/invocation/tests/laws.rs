//! What holds for any options.

use std::ffi::OsString;

use proptest::prelude::*;

use crate::invocation::rules::tests::read_like_the_cli;
use crate::invocation::*;

/// Text that likes to be mistaken for something else.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[-=, ()a-z\n\"{}]{0,8}",
        2 => any::<String>(),
        1 => Just("--verbose".to_owned()),
        1 => Just("--model=opus".to_owned()),
        1 => Just("-p".to_owned()),
        1 => Just("--".to_owned()),
        1 => Just("a\0b".to_owned()),
    ]
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(text(), 0..3)
}

prop_compose! {
    fn start()(kind in 0..4, id in text(), fork in any::<bool>()) -> Start {
        let fork = fork.then(Fork::default);
        match kind {
            0 => Start::New { session_id: None },
            1 => Start::Continue { fork },
            2 => Start::new("550e8400-e29b-41d4-a716-446655440000"),
            _ => Start::Resume(Resume { session: id, fork, cut: None }),
        }
    }
}

prop_compose! {
    fn invocation()(
        (model, agent, prompt, append) in (text(), text(), text(), text()),
        (mode, effort, debug, tool) in (text(), text(), text(), text()),
        (dirs, betas, allowed, denied) in (texts(), texts(), texts(), texts()),
        (fallback, tools, servers, plugins) in (texts(), texts(), texts(), texts()),
        extra in prop::collection::vec(("[-=a-z]{0,6}", prop::option::of(text())), 0..2),
        picks in (any::<u32>(), any::<u32>()).prop_map(|(a, b)| a & b),
        start in start(),
    ) -> Invocation {
        let mut made = Invocation::new().start(start);
        let picked = |bit: u32| picks & (1 << bit) != 0;
        // Few at a time: one bad value spoils the whole.
        if picked(0) { made = made.model(model); }
        if picked(1) { made = made.agent(agent); }
        if picked(2) { made = made.system_prompt(prompt); }
        if picked(3) { made = made.append_system_prompt(append); }
        if picked(4) { made = made.permission_mode(&*mode); }
        if picked(5) { made = made.effort(&*effort); }
        if picked(6) { made = made.debug(Debug::Only(debug)); }
        if picked(7) { made = made.permission_prompts(PermissionPrompts::Tool(tool)); }
        if picked(8) { made = made.add_dirs(dirs); }
        if picked(9) { made = made.betas(betas); }
        if picked(10) { made = made.allowed_tools(allowed); }
        if picked(11) { made = made.disallowed_tools(denied); }
        if picked(12) { made = made.fallback_models(fallback); }
        if picked(13) { made = made.tools(BaseTools::Only(tools)); }
        if picked(14) {
            for name in servers {
                made = made.mcp_server(name.clone(), McpServer::stdio(name, [""; 0]));
            }
        }
        if picked(15) { made = made.plugins(plugins); }
        if picked(16) {
            made.extra_args.extend(extra.into_iter().map(|(k, v)| (k, v.map(OsString::from))));
        }
        if picked(17) { made = made.partial_messages().strict_mcp(); }
        made
    }
}

/// Flags that are ever written alone.
const BARE: &[Flag] = &[
    Flag::AllowBypass,
    Flag::AwaitClaim,
    Flag::AwaitInitialize,
    Flag::Continue,
    Flag::Debug,
    Flag::ForkSession,
    Flag::IncludeHookEvents,
    Flag::IncludePartialMessages,
    Flag::ManagedSettingsInInitialize,
    Flag::NoSessionPersistence,
    Flag::ReplayUserMessages,
    Flag::SessionMirror,
    Flag::StrictMcpConfig,
    Flag::Verbose,
];

/// The flag and value of an argument, read the way the CLI's parser reads one.
fn read(arg: &OsString) -> (String, Option<String>) {
    let arg = arg.to_str().expect("all text was Unicode");
    let name = arg.strip_prefix("--").unwrap_or_else(|| panic!("a stray value: {arg:?}"));
    match name.split_once('=') {
        Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
        None => (name.to_owned(), None),
    }
}

/// The values of a flag, in order.
fn values(argv: &[OsString], flag: Flag) -> Vec<String> {
    let pairs = argv.iter().map(read);
    pairs.filter(|(name, _)| Flag::from_name(name) == Some(flag)).filter_map(|(_, v)| v).collect()
}

proptest! {
    #[test]
    fn no_value_becomes_an_argument(made in invocation()) {
        let Ok(argv) = made.argv() else { return Ok(()) };
        for arg in &argv {
            let (name, value) = read(arg);
            let extra = made.extra_args.iter().any(|(extra, given)| {
                *extra == name && given.as_deref() == value.as_deref().map(str::as_ref)
            });
            match Flag::from_name(&name) {
                Some(flag) => prop_assert!(value.is_some() || BARE.contains(&flag), "{arg:?}"),
                None => prop_assert!(extra, "{arg:?}"),
            }
        }
    }

    #[test]
    fn every_value_arrives_as_it_was_given(made in invocation()) {
        let Ok(argv) = made.argv() else { return Ok(()) };
        let one = |flag| values(&argv, flag).pop();
        prop_assert_eq!(&one(Flag::Model), &made.model);
        prop_assert_eq!(&one(Flag::Agent), &made.agent);
        let effort = one(Flag::Effort).map(|word| Effort::from(&*word));
        prop_assert_eq!(&effort, &made.effort);
        let prompt = one(Flag::SystemPrompt).map(PromptText::Text);
        prop_assert_eq!(&prompt, &made.system_prompt);
        prop_assert_eq!(&values(&argv, Flag::Betas), &made.betas);
        let dirs = values(&argv, Flag::AddDir).into_iter().map(std::path::PathBuf::from);
        prop_assert!(dirs.eq(made.add_dirs.iter().cloned()));
        let rules = one(Flag::AllowedTools).map(|value| read_like_the_cli(&value));
        prop_assert_eq!(&rules.unwrap_or_default(), &made.allowed_tools);
        let rules = one(Flag::DisallowedTools).map(|value| read_like_the_cli(&value));
        prop_assert_eq!(&rules.unwrap_or_default(), &made.disallowed_tools);
        if let Start::Resume(resume) = &made.start {
            prop_assert_eq!(&one(Flag::Resume), &Some(resume.session.clone()));
        }
        if let Some(config) = one(Flag::McpConfig) {
            let config: serde_json::Value = serde_json::from_str(&config).unwrap();
            let names = config["mcpServers"].as_object().unwrap().keys().cloned();
            prop_assert!(names.eq(made.mcp_servers.keys().cloned()));
        }
    }

    #[test]
    fn nul_never_gets_through(made in invocation()) {
        if let Ok(argv) = made.argv() {
            prop_assert!(argv.iter().all(|arg| !arg.as_encoded_bytes().contains(&0)));
        }
    }

    #[test]
    fn no_rule_is_torn(rules in prop::collection::vec("[aa(), ]{1,3}", 0..3)) {
        if let Ok(argv) = Invocation::new().allowed_tools(rules.clone()).argv() {
            let read = values(&argv, Flag::AllowedTools).pop().map(|v| read_like_the_cli(&v));
            prop_assert_eq!(read.unwrap_or_default(), rules);
        }
    }

    #[test]
    fn no_variable_stands_twice(
        add in prop::collection::vec(("[A-C]|DEBUG|PWD|NODE_OPTIONS", text()), 0..4),
        remove in prop::collection::vec("[A-C]|DEBUG|TRACESTATE", 0..4),
    ) {
        let mut made = Invocation::new().cwd("/w").env_remove(remove);
        made.extra_env.extend(add);
        let Ok(plan) = made.env() else { return Ok(()) };
        let mut names: Vec<_> = plan.set.iter().map(|(name, _)| name).chain(&plan.remove).collect();
        let all = names.len();
        names.sort();
        names.dedup();
        prop_assert_eq!(names.len(), all);
        for (name, value) in made.extra_env.iter() {
            prop_assert_eq!(plan.get(name), Some(value.as_os_str()));
        }
    }
}

/// Laws about options that are hardly ever accepted would prove nothing.
#[test]
fn enough_options_are_accepted() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    let mut runner = TestRunner::deterministic();
    let accepted = (0..500)
        .filter(|_| invocation().new_tree(&mut runner).unwrap().current().argv().is_ok())
        .count();
    assert!(accepted > 100, "{accepted} of 500");
}
