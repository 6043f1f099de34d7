/** Methods of WebDAV, CalDAV and CardDAV (RFC 4918; RFC 4791; RFC 5323; RFC 6578). */
export const WEBDAV_METHODS = [
  ...['PROPFIND', 'PROPPATCH', 'REPORT', 'MKCOL', 'MKCALENDAR'],
  ...['COPY', 'MOVE', 'LOCK', 'UNLOCK', 'SEARCH'],
]

/** Methods that the proxy sends. */
export const METHODS = [
  ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'],
  ...WEBDAV_METHODS,
]
