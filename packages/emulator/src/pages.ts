import type { Provider, ProviderMethod, ProviderSignIn, Reply } from './provider.ts'
import type { ConsentPage } from './sign-in.ts'

/** The list of what is served. */
export function renderIndex(providers: readonly Provider[]): Reply {
  return page(
    'Linchpin emulator',
    `<p>Providers on this computer. They answer as their documents say, which is not how they behave in every case.</p>
<ul>${providers.map(({ key, name }) => `<li><a href="/${escapeHtml(key)}">${escapeHtml(name)}</a> <code>/${escapeHtml(key)}/</code></li>`).join('')}</ul>
<h2>Use it</h2>
<p>With Linchpin, start a node with the settings that <code>linchpin emulate</code> prints. With any other client, replace a provider's base URL by
the one on its page. <code>POST /_emulator/next</code>, <code>consent</code>, <code>expire</code>, <code>revoke</code>, <code>responses</code> and
<code>reset</code> change what happens; <code>GET /_emulator/requests</code> lists what was received.</p>`,
  )
}

/** The endpoints of a provider, and which credentials it accepts. */
export function renderProvider({ key, name, base, methods }: Provider): Reply {
  const sections = Object.entries(methods).map(([authType, method]) =>
    renderMethod(authType, method),
  )
  return page(
    name,
    `<p><a href="/">All providers</a></p>
<p><code>/${escapeHtml(key)}/…</code> stands for <code>${escapeHtml(base)}/…</code>; <code>/_hosts/{host}/…</code> for any of its hosts.</p>
${sections.join('')}`,
  )
}

function renderMethod(authType: string, method: ProviderMethod): string {
  const { endpoints, sends, signIn, login } = method
  const rows = [
    ...(signIn === undefined ? [] : listSignInRows(signIn)),
    ...(login === undefined ? [] : [['Login', `${login.method} ${login.url}`]]),
    ...endpoints.map(({ method: verb, example }) => ['API', `${verb} ${example}`]),
    ...sends.map((line) => ['Credentials', line]),
  ]
  const accepted =
    signIn === undefined
      ? 'Every value is accepted, except one that contains <code>wrong</code> or that <code>POST /_emulator/revoke</code> has named.'
      : 'Every client ID is accepted, and every secret that does not contain <code>wrong</code>; tokens are those issued here.'
  return `<h2>${escapeHtml(authType)}</h2>
<table>${rows.map(([label = '', text = '']) => `<tr><th scope="row">${escapeHtml(label)}</th><td><code>${escapeHtml(text)}</code></td></tr>`).join('')}</table>
<p>${accepted}</p>`
}

function listSignInRows(signIn: ProviderSignIn): string[][] {
  const { authorize, token, refresh, exchanges, revocations, par } = signIn
  const { first, next } = exchanges ?? {}
  return [
    ['Authorize', authorize],
    ['Token', token],
    ...(refresh === token ? [] : [['Refresh', refresh]]),
    ...[...new Set([first?.url, next?.url])].flatMap((url) =>
      url === undefined ? [] : [['Exchange', `GET ${url}`]],
    ),
    ...revocations.map(({ method, url }) => ['Revoke', `${method} ${url}`]),
    ...(par === undefined ? [] : [['Pushed request', par]]),
  ]
}

/** Asks whether a client may have access, and which scopes. */
export function renderConsent({ providerName, clientId, redirectUri, scopes }: ConsentPage): Reply {
  const boxes = scopes.map(
    (scope) =>
      `<li><label><input type="checkbox" name="scope" value="${escapeHtml(scope)}" checked> ${escapeHtml(scope)}</label></li>`,
  )
  return page(
    `${providerName}: allow access?`,
    `<p>The client <code>${escapeHtml(clientId)}</code> asks for access. This page is Linchpin's emulator, not ${escapeHtml(providerName)}.</p>
<form method="post"><ul>${boxes.join('')}</ul>
<p><button name="decision" value="allow">Allow</button> <button name="decision" value="deny">Deny</button></p></form>
<p>It will be returned to <code>${escapeHtml(redirectUri)}</code>.</p>`,
  )
}

function page(title: string, main: string): Reply {
  return {
    status: 200,
    headers: { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'" },
    body: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title><style>${STYLE}</style><main><h1>${escapeHtml(title)}</h1>${main}</main></html>`,
  }
}

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:48rem;padding:0 1rem}
code{overflow-wrap:anywhere}th{text-align:left;vertical-align:top;padding-right:1rem}button{font:inherit;padding:.5rem 1rem;min-height:44px}
ul{padding-left:1.25rem}`

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
