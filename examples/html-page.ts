/** A plain page without script: a title, the same as heading, and `content`, which must be escaped HTML. */
export function htmlPage(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${content}
</main>
</body>
</html>
`
}

/** The headers a page goes out with: its own style and nothing else is loaded, and its address is told to nobody. */
export const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
} as const

/** Text as it may stand in HTML, also between double quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 0; padding: 4rem 1.25rem }
main { max-width: 26rem; margin: 0 auto }
h1 { font-size: 1.375rem; line-height: 1.25; text-wrap: balance }
p, li { overflow-wrap: anywhere }
form { display: flex; gap: .75rem; margin-top: 1.5rem }
button { font: inherit; padding: .5rem 1.25rem; cursor: pointer }
`
