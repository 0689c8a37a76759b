/** The page's only style: no script, no font and no image from anywhere; light, dark and paper. */
export const PAGE_STYLE = `
:root{color-scheme:light dark;--ink:#1c1e21;--dim:#5b6168;--paper:#fdfdfb;--line:#d9dbd6;--mark:#0b5cad;--wash:#f1f2ee;--bad:#a3260f;--warn:#fff3d6}
@media (prefers-color-scheme:dark){:root{--ink:#e4e5e2;--dim:#9da39f;--paper:#161817;--line:#363a38;--mark:#7db7f0;--wash:#1f2221;--bad:#ff8d78;--warn:#3a3117}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:17px/1.62 Georgia,"Noto Serif","Songti SC","Noto Serif CJK SC",serif}
main{max-width:44rem;margin:0 auto;padding:3rem 1.25rem 5rem;overflow-wrap:anywhere}
h1,h2,h3,h4,h5,h6,nav,.kicker,.grounds,.status,footer{font-family:system-ui,"PingFang SC","Noto Sans CJK SC",sans-serif}
h1{font-size:1.7rem;line-height:1.28;margin:.2rem 0 1.2rem}
h2{font-size:1.25rem;margin:2.6rem 0 .6rem;padding-top:1rem;border-top:1px solid var(--line)}
h3,h4,h5,h6{font-size:1rem;margin:1.5rem 0 .4rem}
.kicker{color:var(--dim);font-size:.8rem;letter-spacing:.06em;text-transform:uppercase;margin:0}
.asked{white-space:pre-wrap;border-left:3px solid var(--line);margin:1rem 0;padding-left:1rem;color:var(--dim)}
.status{background:var(--warn);padding:.6rem .9rem;margin:.5rem 0;border-radius:4px;font-size:.92rem}
a{color:var(--mark)}
a.cite{text-decoration:none;font:.8em system-ui,sans-serif;vertical-align:.15em}
a.cite.failed{color:var(--bad);text-decoration:line-through}
nav ol,.grounds ol{padding-left:1.8rem}
.grounds{font-size:.88rem;margin-top:1.2rem;color:var(--dim)}
.grounds h3{font-size:.85rem;margin-bottom:.3rem}
.grounds li{margin:.5rem 0;scroll-margin-top:2rem}
.grounds blockquote{margin:.3rem 0;padding:.4rem .8rem;background:var(--wash);border-left:3px solid var(--line);white-space:pre-wrap;color:var(--ink)}
.grounds summary{cursor:pointer;color:var(--mark)}
.grounds details pre{white-space:pre-wrap;padding:.5rem .8rem;margin:.3rem 0;color:var(--dim)}
.grounds details .head{display:block;font-weight:600;border-bottom:1px solid var(--line)}
mark{background:var(--warn);color:var(--ink)}
.back{text-decoration:none}
.failed strong{color:var(--bad)}
:target{outline:2px solid var(--mark);outline-offset:4px;border-radius:3px}
table{border-collapse:collapse;display:block;overflow-x:auto;margin:1rem 0;font-size:.92rem}
th,td{overflow-wrap:break-word;border:1px solid var(--line);padding:.3rem .6rem;text-align:left;vertical-align:top}
pre,code{font:.88em/1.5 ui-monospace,Menlo,Consolas,monospace;background:var(--wash);border-radius:3px}
code{padding:.1em .25em}pre{padding:.8rem;overflow-x:auto}pre code{padding:0}
blockquote{margin:1rem 0;padding-left:1rem;border-left:3px solid var(--line)}
footer{margin-top:3rem;padding-top:1rem;border-top:1px solid var(--line);font-size:.9rem}
footer small{color:var(--dim);display:block;margin-top:.6rem}
@media print{:root{--ink:#000;--dim:#333;--paper:#fff;--wash:#f4f4f4;--warn:#f4f4f4;--mark:#000;--line:#999}
body{font-size:11pt}main{max-width:none;padding:0}nav,.back{display:none}h2,h3{break-after:avoid}
.grounds li,tr,pre,.status{break-inside:avoid}table{display:table}}
`.trim();
