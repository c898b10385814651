//! `zoo PORT LIMIT BURST`: governor (GCRA) behind one small service.
use std::collections::HashMap;
use std::num::NonZeroU32;
use std::time::{SystemTime, UNIX_EPOCH};

use governor::clock::{Clock, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::{Quota, RateLimiter};
use tiny_http::{Header, Response, Server};

fn header(name: &str, value: u128) -> Header {
    Header::from_bytes(name.as_bytes(), value.to_string().as_bytes()).expect("a header")
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let limit: u32 = args[2].parse().expect("a limit");
    let burst: u32 = args[3].parse().expect("a burst");
    let quota = Quota::per_minute(NonZeroU32::new(limit).expect("not zero")).allow_burst(NonZeroU32::new(burst).expect("not zero"));
    let limiter = RateLimiter::keyed(quota).with_middleware::<StateInformationMiddleware>();
    let clock = DefaultClock::default();
    let step_ms = 60_000 / u128::from(limit);
    let server = Server::http(format!("127.0.0.1:{}", args[1])).expect("a free port");
    let mut names: HashMap<String, String> = HashMap::new();
    for request in server.incoming_requests() {
        let group = request
            .headers()
            .iter()
            .find(|one| one.field.equiv("x-group"))
            .map(|one| one.value.to_string())
            .unwrap_or_default();
        let group = names.entry(group.clone()).or_insert(group).clone();
        let now_ms = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_millis();
        let (status, remaining, retry_ms) = match limiter.check_key(&group) {
            Ok(state) => (200, u128::from(state.remaining_burst_capacity()), 0),
            Err(until) => (429, 0, until.wait_time_from(clock.now()).as_millis() + 1),
        };
        // The package tells no reset: full again after as many steps as are missing.
        let reset_ms = now_ms + (u128::from(burst) - remaining) * step_ms;
        let response = Response::empty(status)
            .with_header(header("x-zoo-remaining", remaining))
            .with_header(header("x-zoo-reset-ms", reset_ms))
            .with_header(header("x-zoo-retry-ms", retry_ms));
        let _ = request.respond(response);
    }
}
