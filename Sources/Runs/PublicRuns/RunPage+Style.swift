extension RunPage {
  /// The style sheet, for light and dark mode: colours and shapes of the pages of Track4Run
  /// (`Sources/WebApp/Style/tokens.css`), which it cannot load.
  static let style = """
    :root{color-scheme:light dark;--accent:#b3232a;--on-accent:#fff;--soft:#fbe5e5;--mark:#fdf0d5;\
    --back:#f5f7f8;--surface:#fff;--text:#14212a;--text-2:#51616b;--line:#d5dde1}\
    @media(prefers-color-scheme:dark){:root{--accent:#ff9a92;--on-accent:#330a0c;--soft:#45201f;\
    --mark:#3b2f14;--back:#10191c;--surface:#182427;--text:#eaf1f3;--text-2:#a9bac1;\
    --line:#33454b}}body{font:1rem/1.5 system-ui,sans-serif;margin:0;color:var(--text);\
    background:var(--back)}header{padding:.75rem 1rem;background:var(--surface);\
    border-bottom:1px solid var(--line);font-weight:700}header a{color:inherit;\
    text-decoration:none}header span{color:var(--accent)}main{max-width:40rem;margin:0 auto;\
    padding:1rem}h1{font-size:1.625rem;line-height:1.2;margin:.5rem 0}h2{font-size:1.25rem;\
    margin:2rem 0 .75rem}h1,dd{overflow-wrap:anywhere}td bdi{display:inline-block;\
    max-width:8rem;overflow-wrap:break-word}a{color:var(--accent)}\
    img{max-width:100%;height:auto;border-radius:.75rem}.state{display:inline-block;\
    margin:0 0 1rem;padding:.125rem .75rem;border-radius:1rem;background:var(--soft);\
    color:var(--accent);font-weight:600}.text{white-space:pre-line}dl{display:grid;\
    grid-template-columns:fit-content(50%) 1fr;gap:.5rem 1rem;margin:1rem 0;padding:1rem;\
    background:var(--surface);border:1px solid var(--line);border-radius:.75rem}\
    dt{color:var(--text-2)}dd{margin:0}table{border-collapse:collapse;width:100%;\
    font-variant-numeric:tabular-nums}td{padding:.5rem .75rem .5rem 0;vertical-align:top;\
    border-bottom:1px solid var(--line)}tr:target{background:var(--mark)}nav{display:flex;\
    flex-wrap:wrap;gap:.75rem;margin:1rem 0}nav a{padding:.6rem 1.25rem;font-weight:600;\
    border:1px solid var(--accent);border-radius:.5rem;text-decoration:none}\
    nav a:first-child{background:var(--accent);color:var(--on-accent)}.code{text-align:center;\
    font-size:1.5rem;letter-spacing:.2em}.code img{padding:.5rem;background:#fff}
    """
}
