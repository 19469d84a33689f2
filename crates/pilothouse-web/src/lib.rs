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
mod tests {
    use super::FILES;

    #[test]
    fn there_is_a_page() {
        let page = FILES.iter().find(|file| file.path == "index.html");
        let text = page.map(|page| String::from_utf8_lossy(page.bytes));
        assert!(text.is_some_and(|text| text.starts_with("<!doctype html>")));
    }

    #[test]
    fn compressed_files_belong_to_others() {
        assert!(FILES.iter().all(|file| !file.path.ends_with(".br")));
        let is_small = |file: &super::File| file.brotli.is_none_or(|b| b.len() < file.bytes.len());
        assert!(FILES.iter().all(is_small));
    }
}
