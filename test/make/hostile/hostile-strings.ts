/** Bytes that a target could send, each made to break one kind of sink. Marker `pwned` would show that something ran. */
export const hostileStrings: readonly string[] = [
  "</script><script>globalThis.pwned=1</script>",
  "<img src=x onerror=globalThis.pwned=1>",
  "<svg onload=globalThis.pwned=1>",
  `" onmouseover="globalThis.pwned=1" x="`,
  "' autofocus onfocus='globalThis.pwned=1",
  "</style><style>*{display:none}</style>",
  "</title></textarea></details></main><h1>owned",
  "<!-- --> <![CDATA[ ]]> ]]&gt; ]]>",
  "javascript:globalThis.pwned=1",
  "https://evil.example/beacon.png www.evil.example @someone",
  "\u001b[2J\u001b[31mred\u001b]0;title\u0007\u009b31m\u0008\u007f",
  "\u202ereversed\u202c \u2066isolate\u2069 \u200bzero\u200d\ufeff",
  "nul\u0000 and \ud800 lone \udfff and \uffff",
  "line one\r\nline two\u2028line three\u0085",
  "::error file=a,line=1::owned\n::set-output name=x::y\n::stop-commands::t",
  "```\n# heading\n[link](https://evil.example) | cell | `code` ``` ~~~",
  '=HYPERLINK("https://evil.example")',
  "+1+cmd|' /C calc'!A0",
  "@SUM(A1:A9)",
  "-2+3",
  "$(touch owned) `touch owned` ${HOME} $& $1 %0A %25",
  "{{7*7}} ${7*7} <%= 7 %>",
  "名前が長い\u0301 👩‍👩‍👧 🏴\u{e0067}\u{e0062}\u{e007f}",
  "__proto__ constructor toString",
];

export const longLine: string = "A<&>\u202e".repeat(400_000);

/** Exact fragments that must never reach an HTML or XML sink unescaped. */
export const forbiddenMarkup: readonly string[] = [
  "<script>globalThis",
  "<img src=x",
  "<svg onload",
  "</style><style>",
  "<h1>owned",
  "<![CDATA[",
];
