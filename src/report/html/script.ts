/**
 * Comfort only: filter, expand all, copy (also where a page that came over http has no clipboard), names of columns beside the cells of short tables (phones show these row by row). The document is complete without it. Works on text content and never
 * builds markup from it. Kept below 8 KB; pinned by its hash in the policy.
 */
export const script: string = `(()=>{"use strict";
const $=(s,r=document)=>[...r.querySelectorAll(s)],tools=document.querySelector(".tools");
if(!tools)return;tools.hidden=false;
const box=tools.querySelector("input"),live=tools.querySelector("[aria-live]"),rows=$("[data-row],.group>div");
const apply=()=>{const words=box.value.toLowerCase().split(/\\s+/).filter(Boolean);let shown=0;
for(const row of rows){const text=row.dataset.text||(row.dataset.text=row.textContent.toLowerCase());
const hit=words.every(w=>text.includes(w));row.classList.toggle("gone",!hit);if(hit){shown++;if(words.length)for(let d=row.parentElement;d;d=d.parentElement)if(d.tagName==="DETAILS"&&!d.dataset.row)d.open=true}}
live.textContent=words.length?shown+" of "+rows.length+" rows":""};
let timer;box.addEventListener("input",()=>{clearTimeout(timer);timer=setTimeout(apply,80)});
document.addEventListener("keydown",e=>{if(e.key==="/"&&!e.ctrlKey&&!e.metaKey&&!/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)){e.preventDefault();box.focus();box.select()}
if(e.key==="Escape"&&document.activeElement===box){box.value="";apply();box.blur()}});
for(const table of $(".scroll>table:not(.matrix)")){const heads=$("thead th",table).map(h=>h.textContent),body=$("tbody tr",table);
if(body.length>40)continue;table.classList.add("cards");for(const row of body)[...row.children].forEach((c,i)=>{c.dataset.label=heads[i]||""})}
const expand=tools.querySelector("[data-expand]");let open=false;
expand.addEventListener("click",()=>{open=!open;for(const d of $("main details"))d.open=open;expand.textContent=open?"Collapse all":"Expand all"});
const copyByHand=(button,text)=>{const area=document.createElement("textarea");area.className="skip";area.value=text;button.after(area);area.select();
const done=document.execCommand("copy");area.remove();button.focus();return done};
const copy=async(button,text)=>{let word="Copied";try{await navigator.clipboard.writeText(text)}catch{if(!copyByHand(button,text))word="Not copied"}
const old=button.textContent;button.textContent=word;setTimeout(()=>{button.textContent=old},1200)};
for(const pre of $("pre[data-copy]")){const b=document.createElement("button");b.type="button";b.textContent=pre.dataset.copy;
b.addEventListener("click",()=>copy(b,pre.textContent));pre.before(b)}
const button=(name,text)=>{const b=document.createElement("button");b.type="button";b.textContent=name;b.addEventListener("click",()=>copy(b,text()));return b};
for(const f of $("details.finding")){const place=f.querySelector(".copies");if(!place)continue;const link=()=>location.href.split("#")[0]+"#"+f.id;
place.append(button("Copy for an agent",()=>[f.querySelector(".grow").textContent,...$(".inside>.sub",f).slice(0,1).map(p=>p.textContent.replace(/#$/,"")),...$(".pair>div,.again",f).map(d=>d.querySelector("h3").textContent+":\\n"+d.querySelector("pre").textContent),link()].map(t=>t.trim().replace(/\\s*\\n\\s*/g,"\\n")).join("\\n\\n")),button("Copy link",link))}
for(const a of $("a.anchor"))a.addEventListener("click",()=>{copy(a,location.href.split("#")[0]+a.getAttribute("href"))});
const reveal=()=>{let id;try{id=decodeURIComponent(location.hash.slice(1))}catch{return}const el=id&&document.getElementById(id);if(!el)return;
if(el.classList.contains("gone")){box.value="";apply()}
for(let d=el;d;d=d.parentElement)if(d.tagName==="DETAILS")d.open=true;el.scrollIntoView()};
addEventListener("hashchange",reveal);reveal();
addEventListener("beforeprint",()=>{for(const d of $("details.finding"))d.open=true});
})();`;
