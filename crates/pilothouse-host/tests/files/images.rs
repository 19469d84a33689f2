use pilothouse_host::files::images::{Image, ImageError, MOST_BYTES, check};

/// The beginning of a PNG of this size: all that is looked at.
pub(crate) fn png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    bytes.extend(width.to_be_bytes());
    bytes.extend(height.to_be_bytes());
    bytes.extend(*b"\x08\x06\0\0\0\0\0\0\0");
    bytes
}

fn gif(width: u16, height: u16) -> Vec<u8> {
    let mut bytes = b"GIF89a".to_vec();
    bytes.extend(width.to_le_bytes());
    bytes.extend(height.to_le_bytes());
    bytes.extend([0; 3]);
    bytes
}

fn jpeg(width: u16, height: u16) -> Vec<u8> {
    let mut bytes =
        b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0\xff\xc0\0\x11\x08".to_vec();
    bytes.extend(height.to_be_bytes());
    bytes.extend(width.to_be_bytes());
    bytes.extend(*b"\x03\x01\x22\0\x02\x11\x01\x03\x11\x01\xff\xd9");
    bytes
}

fn webp(width: u16, height: u16) -> Vec<u8> {
    let mut bytes = b"RIFF\x1a\0\0\0WEBPVP8 \x0e\0\0\0\x30\x01\0\x9d\x01\x2a".to_vec();
    bytes.extend(width.to_le_bytes());
    bytes.extend(height.to_le_bytes());
    bytes.extend([0; 8]);
    bytes
}

#[test]
fn pictures_that_can_be_sent() {
    let cases = [
        (png(640, 480), "image/png"),
        (gif(640, 480), "image/gif"),
        (jpeg(640, 480), "image/jpeg"),
        (webp(640, 480), "image/webp"),
    ];
    for (bytes, media_type) in cases {
        let image = Image { media_type, width: 640, height: 480 };
        assert_eq!(check(&bytes), Ok(image), "{media_type}");
    }
}

#[test]
fn pictures_that_cannot() {
    let mut large = png(10, 10);
    large.resize(MOST_BYTES + 1, 0);
    let wrong = |what: &str| ImageError::Format { what: what.to_owned() };
    let cases = [
        (Vec::new(), ImageError::Empty),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>".to_vec(), wrong("something unknown")),
        (b"%PDF-1.7".to_vec(), wrong("application/pdf")),
        (b"BM\x1e\0\0\0\0\0\0\0\x1a\0\0\0".to_vec(), wrong("image/bmp")),
        (large, ImageError::TooLarge { size: MOST_BYTES + 1 }),
        (png(8_001, 1), ImageError::TooManyPixels { width: 8_001, height: 1 }),
        (png(8_000, 8_000), ImageError::TooManyPixels { width: 8_000, height: 8_000 }),
        (png(0, 5), ImageError::Damaged),
        (b"\x89PNG\r\n\x1a\n\0\0".to_vec(), ImageError::Damaged),
        (b"\xff\xd8\xff\xe0".to_vec(), ImageError::Damaged),
    ];
    for (bytes, error) in cases {
        assert_eq!(check(&bytes), Err(error));
    }
    let help = check(b"BM\x1e\0\0\0\0\0\0\0\x1a\0\0\0").unwrap_err().to_string();
    assert!(help.contains("PNG, JPEG, GIF or WebP"), "{help}");
}
