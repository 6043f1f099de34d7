import type { ErrorCode } from '../../errors.ts'
import { type Html, html } from '../../page/html.ts'
import { COPY, type ConsentNames, failureSentence } from './copy.ts'

/** The page that says who asks for what, with the one button that begins. */
export function consentPage(
  names: ConsentNames,
  is: { readonly custom: boolean; readonly again: boolean },
): string {
  const { consent } = COPY
  const title = (is.again ? consent.again : consent.title)(names)
  return page(
    title,
    html`<div class="tile" aria-hidden="true">${[...names.tool][0]?.toUpperCase()}</div>
<h1>${title}</h1>
<p>${consent.body(names)}</p>
${is.custom ? html`<p class="notice">${consent.custom(names)}</p>` : ''}
<form method="post"><button type="submit">${consent.button(names)}</button></form>
<p class="quiet">${consent.leave(names)}</p>`,
  )
}

/** The end of a way that leads nowhere else: all is well. */
export function donePage(tool: string, workspace: string): string {
  const { title, body } = COPY.done
  return statePage('good', title(tool), body(workspace))
}

/** The end of a way that leads nowhere else: it did not work. */
export function failedPage(code: ErrorCode, tool: string, workspace: string): string {
  return statePage('bad', COPY.failed.title(tool), failureSentence(code, tool, workspace))
}

/** A page for whoever comes too late, from elsewhere, or at a bad moment. */
export function stopPage(
  why: 'notKnown' | 'finished' | 'otherBrowser' | 'notOurs' | 'busy',
): string {
  const { title, body } = COPY[why]
  return statePage(why === 'finished' ? 'good' : 'bad', title, body)
}

function statePage(state: 'good' | 'bad', title: string, body: string): string {
  const icon =
    state === 'good' ? html`<path d="m5 10 3.5 3.5L15 7"/>` : html`<path d="M10 5v6m0 3.5v.5"/>`
  return page(
    title,
    html`<div class="tile ${state}" aria-hidden="true"><svg viewBox="0 0 20 20">${icon}</svg></div>
<h1>${title}</h1>
<p>${body}</p>`,
  )
}

function page(title: string, content: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="stylesheet" href="/assets/oauth.css">
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`.text
}
