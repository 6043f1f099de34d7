/** Reads the argument forms of `http.request`: (url, options, callback), (url, callback), (options, callback). */
export function readArguments(first, second, third) {
  const isUrl = typeof first === 'string' || isUrlObject(first)
  if (!isUrl) return { options: { ...first }, callback: second }
  const url = urlOptions(typeof first === 'string' ? new URL(first) : first)
  if (typeof second === 'function') return { options: url, callback: second }
  return { options: { ...url, ...second }, callback: third }
}

/** The URL that request options stand for. Node's order: `host` gives way to `hostname`. */
export function targetUrl(options, protocol) {
  const host = String(options.hostname || options.host || 'localhost')
  const bare = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
  const port = options.port || options.defaultPort
  return `${protocol}//${bare}${port ? `:${port}` : ''}${options.path || '/'}`
}

function isUrlObject(value) {
  return (
    typeof value?.href === 'string' && !!value.searchParams && typeof value.protocol === 'string'
  )
}

function urlOptions(url) {
  const options = {
    protocol: url.protocol,
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    hash: url.hash,
    search: url.search,
    pathname: url.pathname,
    path: `${url.pathname || ''}${url.search || ''}`,
    href: url.href,
  }
  if (url.port !== '') options.port = Number(url.port)
  if (url.username || url.password) {
    options.auth = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  }
  return options
}
