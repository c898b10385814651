/** `n3` on a table: its third column holds figures. */
const figureColumns = Array.from({ length: 14 }, (_, index) => `.n${index + 1} tr>:nth-child(${index + 1})`).join(",");

/**
 * The whole look. No style attribute exists in the document (the policy forbids them): charts carry SVG presentation
 * attributes for geometry and classes for colour, so one drawing serves both themes. Hues follow Okabe and Ito (2008),
 * darkened or lightened until text reaches a contrast of 4.5.
 */
export const styles: string = `
:root{color-scheme:light dark;
--page:#f6f7f8;--card:#fff;--ink:#16191d;--soft:#525a65;--line:#dfe2e6;--faint:#eef0f2;--accent:#0b5c93;--focus:#0b5c93;
--pass:#0a6b4c;--pass-bg:#e6f4ee;--fail:#b3201b;--fail-bg:#fdeceb;--warn:#845300;--warn-bg:#fdf3dd;--open:#5b4a86;--open-bg:#f0edf8;--plain:#525a65;--plain-bg:#eef0f2;
--admit:#0072b2;--reject:#d55e00;--queue:#a9528b;--other:#7b848f;--band:#eff2f5;--feasible:#9ccbe6;--grid:#e4e7ea;--heat:#0072b2;--edge:#16191d40;--goal:#16191d;--b2:#009e73;--b3:#a9528b;--b4:#b07a00}
@media(prefers-color-scheme:dark){:root{
--page:#0f1114;--card:#171a1f;--ink:#e7e9ec;--soft:#a7afba;--line:#2d333b;--faint:#20242a;--accent:#7cc0ee;--focus:#7cc0ee;
--pass:#5fd0a5;--pass-bg:#12291f;--fail:#ff9a92;--fail-bg:#361a19;--warn:#efbc55;--warn-bg:#312711;--open:#c0b0ee;--open-bg:#262138;--plain:#a7afba;--plain-bg:#20242a;
--admit:#56b4e9;--reject:#e69f00;--queue:#dd9cc4;--other:#8b94a0;--band:#1d2127;--feasible:#235a7c;--grid:#2a2f36;--heat:#56b4e9;--edge:#e7e9ec50;--goal:#e7e9ec;--b2:#35c795;--b3:#dd9cc4;--b4:#e6b94a}}
*{box-sizing:border-box}
html{scroll-behavior:smooth;-webkit-text-size-adjust:100%}
@media(prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans",Arial,sans-serif;font-variant-numeric:tabular-nums lining-nums;overflow-wrap:break-word}
a{color:var(--accent);text-underline-offset:2px;text-decoration-thickness:1px}
:focus-visible{outline:2px solid var(--focus);outline-offset:2px;border-radius:3px}
.skip{position:absolute;left:-9999px;top:0;background:var(--card);padding:8px 12px;z-index:9}
.skip:focus{left:8px;top:8px}
code,pre,kbd,.mono{font-family:ui-monospace,SFMono-Regular,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;font-size:.86em}
pre{margin:0;padding:10px 12px;background:var(--faint);border-radius:6px;white-space:pre-wrap;line-height:1.45}
h1,h2,h3,h4{line-height:1.25;margin:0;font-weight:650;letter-spacing:-.011em}
h2{font-size:21px}h3{font-size:16.5px}h4{font-size:14px}
p{margin:0}
.layout{display:grid;grid-template-columns:212px minmax(0,1080px);gap:36px;max-width:1360px;margin:0 auto;padding:28px 28px 80px}
.side{position:sticky;top:24px;align-self:start;font-size:13.5px;max-height:calc(100vh - 48px);overflow:auto}
.side .brand{font-weight:700;letter-spacing:-.02em;font-size:16px;margin-bottom:14px}
.side .brand small{display:block;font-weight:400;letter-spacing:0;color:var(--soft);font-size:12.5px}
.side ul{list-style:none;margin:0;padding:0}
.side li a{display:flex;gap:8px;justify-content:space-between;padding:5px 8px;margin-left:-8px;border-radius:5px;text-decoration:none;color:var(--ink)}
.side li a:hover{background:var(--faint)}
.tools{margin:16px 0 0;display:grid;gap:8px}
.tools[hidden]{display:none}
.tools input{width:100%;font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:6px;padding:6px 9px}
button{font:inherit;font-size:12.5px;color:var(--ink);background:var(--card);border:1px solid var(--line);border-radius:6px;padding:3px 9px;cursor:pointer}
button:hover{background:var(--faint)}
main{min-width:0;display:grid;gap:26px}
section{display:grid;gap:10px;scroll-margin-top:16px;min-width:0}
section>.lead{color:var(--soft);max-width:76ch}
.verdict-header{display:grid;gap:18px}
.verdict{display:grid;gap:6px;background:var(--card);border:1px solid var(--line);border-left:6px solid var(--tone);border-radius:10px;padding:20px 24px}
.verdict h1{font-size:30px;letter-spacing:-.022em;color:var(--tone-ink)}
.verdict .why{font-size:17px;max-width:78ch}
.verdict .exit{color:var(--soft);font-size:13px}
.tone-pass{--tone:var(--pass);--tone-ink:var(--pass);--tone-bg:var(--pass-bg)}
.tone-fail{--tone:var(--fail);--tone-ink:var(--fail);--tone-bg:var(--fail-bg)}
.tone-warn{--tone:var(--warn);--tone-ink:var(--warn);--tone-bg:var(--warn-bg)}
.tone-open{--tone:var(--open);--tone-ink:var(--open);--tone-bg:var(--open-bg)}
.tone-plain{--tone:var(--plain);--tone-ink:var(--plain);--tone-bg:var(--plain-bg)}
.badge{display:inline-flex;align-items:center;gap:5px;font-size:12.5px;font-weight:600;line-height:1;padding:4px 8px;border-radius:99px;color:var(--tone-ink);background:var(--tone-bg);white-space:nowrap}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(230px,1fr));gap:14px}
.tile{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:14px 16px;display:grid;gap:6px;align-content:start;color:inherit;text-decoration:none}
a.tile:hover{border-color:var(--accent)}
.tile .top{display:flex;flex-wrap:wrap;justify-content:space-between;gap:8px;align-items:center;font-weight:650}
.strip{letter-spacing:1px;line-height:1.9}.strip .cell{display:inline-block;padding:0 4px;text-align:center;text-decoration:none}.strip>span{color:var(--tone-ink)}
.titles{margin:4px 0 0;padding-left:22px;display:grid;gap:5px}.next{margin-top:4px}code,pre,.why,.titles,dd{overflow-wrap:anywhere}
.titles a{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden}.titles .sub{display:block;font-size:12.5px}
.fold{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:6px 16px}.fold[open]{background:none;border-color:transparent;padding:6px 0}.fold[open]>summary{margin-bottom:10px}
.tile p{color:var(--soft);font-size:13.5px}
.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(190px,1fr));gap:10px 24px;margin:0;font-size:13.5px}
.facts div{min-width:0}
.facts dt{color:var(--soft);font-size:12px}
.facts dd{margin:0;font-weight:500}
.card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:18px 20px;display:grid;gap:14px;min-width:0}
.card>header{display:flex;flex-wrap:wrap;gap:8px 12px;align-items:baseline;justify-content:space-between}
td .why{min-width:190px}
.sub{color:var(--soft);font-size:13.5px}
/* A shadow at the edge behind which more is to be seen. */
.scroll{overflow-x:auto;min-width:0;background:linear-gradient(to right,var(--card) 40%,transparent) 0 0/36px 100% no-repeat local,linear-gradient(to left,var(--card) 40%,transparent) 100% 0/36px 100% no-repeat local,linear-gradient(to right,var(--edge),transparent) 0 0/12px 100% no-repeat scroll,linear-gradient(to left,var(--edge),transparent) 100% 0/12px 100% no-repeat scroll}
table{border-collapse:collapse;width:100%;font-size:13.5px}
th,td{text-align:left;padding:6px 12px 6px 0;border-bottom:1px solid var(--line);vertical-align:top}
thead th{font-weight:600;color:var(--soft);font-size:12.5px;white-space:nowrap;border-bottom-color:var(--soft)}
tbody th{font-weight:500}
tbody tr:last-child>*{border-bottom:0}
th,td{overflow-wrap:break-word}${figureColumns}{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.id{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.86em;white-space:nowrap}
details{min-width:0}
summary{cursor:pointer;list-style:none;display:flex;gap:8px;align-items:baseline;padding:5px 0}
summary::-webkit-details-marker{display:none}
summary::before{content:"";flex:none;width:7px;height:7px;border-right:1.5px solid var(--soft);border-bottom:1.5px solid var(--soft);transform:rotate(-45deg) translate(-1px,-1px)}
details[open]>summary::before{transform:rotate(45deg) translate(-2px,-1px)}
summary .grow{flex:1;min-width:0}
summary:hover .grow{text-decoration:underline;text-underline-offset:2px}
.finding{background:var(--card);border:1px solid var(--line);border-left:4px solid var(--tone);border-radius:8px;padding:6px 16px}
.finding>summary{padding:7px 0;flex-wrap:wrap}
.finding>summary .grow{font-weight:600;flex-basis:420px}
.finding .inside{display:grid;gap:12px;padding:6px 0 12px}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(240px,1fr));gap:12px}
.again{display:grid;grid-template-columns:1fr auto;gap:4px 12px;align-items:center}.again pre{grid-column:1/-1}
.again h3,.pair h3{margin-bottom:4px;color:var(--soft);font-weight:600;font-size:12.5px}
.stack{display:grid;gap:8px;min-width:0}
.matrix th,.matrix td{padding:7px 4px;text-align:center;border-bottom:1px solid var(--line)}
.matrix tbody th{text-align:left;white-space:nowrap;padding-left:0;font-size:12.5px}
.matrix td{font-size:12.5px}
.cell{display:inline-block;min-width:52px;padding:4px 6px;border-radius:5px;font-weight:600;color:var(--tone-ink);background:var(--tone-bg);text-decoration:none}
.group{border-top:1px solid var(--line)}
.group>summary{font-weight:600;font-size:14px;flex-wrap:wrap}.group>summary .grow{flex-basis:220px}.group>summary .sub{font-weight:400}
.group>div{display:grid;grid-template-columns:92px 104px minmax(0,1fr);gap:4px 12px;padding:6px 0;border-top:1px solid var(--faint);font-size:13.5px;align-items:baseline}
.group>div>b{font:500 .86em ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}.group>div>i{font-style:normal}.group>div small{font-size:1em;color:var(--soft)}
.group>.ask{display:grid;grid-template-columns:92px minmax(0,1fr) minmax(0,1fr);gap:4px 16px;padding:6px 0;border-top:1px solid var(--faint);font-size:13.5px;align-items:baseline}.group>.ask>b{font:500 .86em ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
figure{margin:0;display:grid;gap:8px;min-width:0}
figcaption{font-size:14px;font-weight:600;max-width:90ch}
figcaption small{display:block;font-weight:400;color:var(--soft);font-size:13px}
figure details{font-size:13px}
figure summary{color:var(--soft)}
svg{display:block;width:100%;height:auto;min-width:900px}
svg.small{min-width:0;width:220px}
svg text{font:12px ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",Arial,sans-serif;fill:var(--ink);font-variant-numeric:tabular-nums}
svg .m{text-anchor:middle}svg .e{text-anchor:end}svg .t2{fill:var(--soft)}svg .tb{font-weight:650}svg .tf{fill:var(--fail);font-weight:700}svg .ti{fill:var(--card);font-weight:700;font-size:11px}
.grid{stroke:var(--grid);fill:none}.axis{stroke:var(--soft);fill:none}
.band{fill:var(--band)}.fold{fill:var(--card)}.edge{stroke:var(--line);fill:none}
.f-admit{fill:var(--admit)}.f-reject{fill:var(--reject)}.f-queue{fill:var(--queue)}.f-other{fill:var(--other)}.f-fail{fill:var(--fail)}.f-warn{fill:var(--warn)}.f-pass{fill:var(--pass)}.f-feasible{fill:var(--feasible)}.s-heat{stroke:var(--heat);fill:none}.f-faint{fill:var(--faint)}.f-b2{fill:var(--b2)}.f-b3{fill:var(--b3)}.f-ink{fill:var(--goal)}
.s-admit{stroke:var(--admit);fill:none}.s-reject{stroke:var(--reject);fill:none}.s-queue{stroke:var(--queue);fill:none}.s-other{stroke:var(--other);fill:none}.s-fail{stroke:var(--fail);fill:none}.s-warn{stroke:var(--warn);fill:none}.s-ink{stroke:var(--goal);fill:none}.s-b2{stroke:var(--b2);fill:none}.s-b3{stroke:var(--b3);fill:none}.s-b4{stroke:var(--b4);fill:none}.s-soft{stroke:var(--soft);fill:none}
.t-admit{fill:var(--admit)!important}.t-b2{fill:var(--b2)!important}.t-b3{fill:var(--b3)!important}
.key{display:flex;flex-wrap:wrap;gap:4px 16px;font-size:12.5px;color:var(--soft);margin:0;padding:0;list-style:none}
.key li{display:flex;gap:6px;align-items:center}
.key svg{min-width:0;width:22px;flex:none}
.anchor{color:var(--soft);text-decoration:none;font-weight:400;margin-left:6px;opacity:.75}
p .anchor,.sub .anchor{text-decoration:underline;opacity:1}
.anchor:hover,.anchor:focus{opacity:1}
:target{scroll-margin-top:16px}
.finding:target,.exchange:target,.group>div:target{outline:2px solid var(--focus);outline-offset:3px;border-radius:6px}
.exchange{border-top:1px solid var(--line)}
.exchange .inside{display:grid;gap:10px;padding:2px 0 14px}
svg.bar{min-width:0;width:242px;flex:none}
.timing{display:flex;flex-wrap:wrap;gap:4px 12px;align-items:center}
.note{background:var(--open-bg);color:var(--open);border-radius:8px;padding:10px 14px;font-size:13.5px}
.gone{display:none!important}
footer{color:var(--soft);font-size:12.5px}
@media(max-width:1000px){.layout{display:block;padding:18px 16px 60px}
/* The list alone stays in view: as a child of the layout it is sticky over the whole page. */
.side{display:contents}.side ul{position:sticky;top:0;z-index:3;display:flex;gap:6px;overflow-x:auto;margin:0 -16px;padding:8px 16px;background:var(--page);border-bottom:1px solid var(--line)}.side li a{margin:0;padding:6px 10px;background:var(--faint);white-space:nowrap}
section,:target{scroll-margin-top:60px}main{margin-top:20px;gap:18px}
.tools{grid-template-columns:minmax(0,1fr) auto;align-items:center}.tools [aria-live]{grid-row:2;grid-column:1/-1}.tools [aria-live]:empty{display:none}.side .brand{margin-bottom:8px;font-size:16px}.side .brand small{font-size:12.5px}.tools{margin:12px 0 0;font-size:13.5px}}
@media(max-width:700px){.scroll table:not(.cards){min-width:580px}
.cards,.cards tbody{display:block}.cards thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.cards tr{display:grid;gap:2px;padding:10px 0;border-bottom:1px solid var(--line)}.cards tbody tr:last-child{border-bottom:0}
.cards tr>*{border:0;padding:1px 0;text-align:left!important;white-space:normal!important;min-width:0}.cards td{display:flow-root;padding-left:130px}
.cards td::before{content:attr(data-label);float:left;width:120px;margin-left:-130px;color:var(--soft);font-size:12.5px}.cards .id,.cards .badge{white-space:normal}.cards td:has(svg){padding-left:0}.cards td:has(svg)::before{float:none;display:block;margin:0}.cards td>*{min-width:0}.cards th{order:-2}.cards td:has(.badge){order:-1}.cards svg{min-width:0;width:100%;max-width:260px}
figure>.scroll::before{content:"Swipe sideways: the chart is wider than the screen";position:sticky;left:0;display:block;color:var(--soft);font-size:12px;padding-bottom:4px}}
@media(max-width:560px){.facts{grid-template-columns:repeat(auto-fill,minmax(130px,1fr))}.verdict{padding:16px}.verdict h1{font-size:25px}.card{padding:14px}.group>div{grid-template-columns:84px minmax(0,1fr)}.group>div>p{grid-column:1/-1}.group>.ask{grid-template-columns:minmax(0,1fr)}}
@media print{.titles a{display:inline}:root{--page:#fff;--card:#fff}body{font-size:10.5pt}.side,.skip,.anchor,button{display:none!important}.layout{display:block;padding:0}
main{display:block}section{margin:22pt 0}figure,.tile,.group>div,tr,.verdict{break-inside:avoid}.scroll{overflow:visible}svg{min-width:0}pre{border:1px solid #ccc}svg.small{width:100px}table{font-size:8.5pt}td,th{padding-right:8px}}
`;
