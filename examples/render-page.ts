/** Renders a plain page without scripts: `title` as title and heading, and `content`, which must be escaped HTML. */
export function renderPage(title: string, content: string): string {
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

/** The response headers of a page: it loads nothing but its inline style and sends no referrer. */
export const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
} as const

/** Escapes text for HTML, attributes in double quotes included. */
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
