#![doc = include_str!("../README.md")]

/// A file of the client.
#[derive(Clone, Copy, Debug)]
pub struct File {
    /// Its name, relative, with slashes.
    pub path: &'static str,
    /// Its bytes.
    pub bytes: &'static [u8],
    /// The same, compressed with Brotli, where that pays.
    pub brotli: Option<&'static [u8]>,
}

include!(concat!(env!("OUT_DIR"), "/files.rs"));

#[cfg(test)]
#[path = "../build/node.rs"]
mod node;

#[cfg(test)]
mod tests {
    use super::FILES;

    /// Not the one that says that there is no client: that has no script.
    #[test]
    fn there_is_a_page_with_its_script() {
        let page = FILES.iter().find(|file| file.path == "index.html").unwrap();
        let text = String::from_utf8_lossy(page.bytes);
        let mut scripts = FILES
            .iter()
            .map(|file| file.path)
            .filter(|path| path.starts_with("assets/") && path.ends_with(".js"));
        let is_named = |path: &str| text.contains(&format!("src=\"/{path}\""));
        assert!(scripts.any(is_named), "built without the client: {text}");
    }

    #[test]
    fn compressed_files_belong_to_others() {
        assert!(FILES.iter().all(|file| !file.path.ends_with(".br")));
        let is_small = |file: &super::File| file.brotli.is_none_or(|b| b.len() < file.bytes.len());
        assert!(FILES.iter().all(is_small));
    }
}
