extension RunPage {
  /// The style sheet, for light and dark mode.
  static let style = """
    body{font:1.125rem/1.5 system-ui,sans-serif;margin:0;padding:1rem;color:#1a1a1a;\
    background:#fff}main{max-width:40rem;margin:0 auto}h1{font-size:2rem;line-height:1.2}\
    h1,dd,td{overflow-wrap:anywhere}img{max-width:100%;height:auto}.state{font-weight:bold}\
    .text{white-space:pre-line}dl{display:grid;grid-template-columns:fit-content(50%) 1fr;\
    gap:.25rem 1rem}dt{color:#595959}dd{margin:0}table{border-collapse:collapse;width:100%}\
    td{padding:.25rem .5rem;border-bottom:1px solid #ccc}tr:target{background:#ffe9a8;\
    color:#1a1a1a}nav{font-size:1.25rem}nav a{display:inline-block;\
    padding:.5rem 0}.code{text-align:center;font-size:1.5rem;letter-spacing:.2em}\
    @media(prefers-color-scheme:dark){body{color:#f0f0f0;background:#161616}dt{color:#b0b0b0}}
    """
}
