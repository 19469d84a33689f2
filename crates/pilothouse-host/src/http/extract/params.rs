//! Parameters of the path and behind the question mark.

use axum::extract::path::ErrorKind;
use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::http::problem::{Fault, Kind, Problem};

/// Parameters behind the question mark. A list is a parameter that comes several times.
#[derive(Clone, Copy, Debug)]
pub struct ApiQuery<T>(pub T);

/// Parameters of the path.
#[derive(Clone, Copy, Debug)]
pub struct ApiPath<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for ApiQuery<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let query = parts.uri.query().unwrap_or_default();
        let query = serde_html_form::Deserializer::from_bytes(query.as_bytes());
        serde_path_to_error::deserialize(query).map(Self).map_err(|error| {
            let name = match error.path().iter().next() {
                Some(serde_path_to_error::Segment::Map { key }) => key.clone(),
                _ => String::new(),
            };
            let detail = match &*name {
                "" => format!("the query does not fit: {}", error.inner()),
                name => format!("the query parameter `{name}` does not fit: {}", error.inner()),
            };
            Problem::invalid(Fault::query(name, detail))
        })
    }
}

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for ApiPath<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        match Path::<T>::from_request_parts(parts, state).await {
            Ok(Path(value)) => Ok(Self(value)),
            Err(rejection) => Err(refused(&rejection)),
        }
    }
}

fn refused(rejection: &PathRejection) -> Problem {
    let PathRejection::FailedToDeserializePathParams(error) = rejection else {
        return ours();
    };
    let (name, detail) = match error.kind() {
        ErrorKind::ParseErrorAtKey { key, value, expected_type } => {
            (key.clone(), format!("`{}` is not a {expected_type}", short(value)))
        }
        ErrorKind::ParseErrorAtIndex { value, expected_type, .. }
        | ErrorKind::ParseError { value, expected_type } => {
            (String::new(), format!("`{}` is not a {expected_type}", short(value)))
        }
        ErrorKind::InvalidUtf8InPathParam { key } => {
            (key.clone(), "what is behind the percent signs is not UTF-8".to_owned())
        }
        ErrorKind::DeserializeError { key, value, message } => {
            (key.clone(), format!("`{}` does not fit: {message}", short(value)))
        }
        ErrorKind::Message(message) => (String::new(), message.clone()),
        // A handler that asks for what its route does not have.
        _ => return ours(),
    };
    Problem::invalid(Fault::path(name, detail))
}

fn ours() -> Problem {
    Problem::new(Kind::Internal, "this route does not fit its handler: please report it")
}

fn short(value: &str) -> String {
    value.chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use axum::http::Request;
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Listing {
        #[serde(default)]
        limit: Option<u16>,
        #[serde(default)]
        tag: Vec<String>,
    }

    async fn query(uri: &str) -> Result<Listing, Problem> {
        let (mut parts, ()) = Request::get(uri).body(()).unwrap().into_parts();
        ApiQuery::from_request_parts(&mut parts, &()).await.map(|ApiQuery(listing)| listing)
    }

    #[tokio::test]
    async fn a_list_is_a_parameter_that_comes_several_times() {
        let listing = query("/?tag=a&limit=5&tag=b%20c").await.unwrap();
        assert_eq!((listing.limit, listing.tag), (Some(5), vec!["a".into(), "b c".into()]));
        assert_eq!(query("/").await.unwrap().limit, None);
    }

    #[tokio::test]
    async fn a_parameter_that_does_not_fit_is_named() {
        for (uri, name) in [("/?limit=x", "limit"), ("/?limit=70000", "limit"), ("/?a=1", "a")] {
            let problem = query(uri).await.unwrap_err();
            assert_eq!(problem.kind(), Kind::InvalidInput);
            let errors = &problem.document().errors;
            assert_eq!(errors[0].place, crate::http::problem::Place::Query { name: name.into() });
            assert!(problem.document().detail.contains(name), "{problem}");
        }
    }
}
