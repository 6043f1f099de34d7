// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the corpus contains values that look like templates
/** Over 200 hostile values for a field that is part of a URL. */
// biome-ignore format: one line each would be two hundred lines
export const HOSTILE_VALUES: readonly string[] = [
  '.', '..', '../', '../../x', '..\\..', '%2e%2e', '%2e', '..%2f..', '.%2e', 'a/../b', 'a/./b',
  '/', '//', '//evil.test', '\\', '\\\\evil.test', '/\\evil.test', '@evil.test', 'a@evil.test',
  'a:b@evil.test', ':8080', 'a:1', 'evil.test#', '#', '#a', '?', '?a=b', 'a?b', '&', 'a&b=c',
  'a=b', '=', ';', 'a;b', '%', '%0', '%00', '%0d%0a', '%2F', '%5c', '%25', '%40', '%23', '%3f',
  '\0', 'a\0b', '\r\n', 'a\r\nHost: evil.test', '\t', ' ', '  ', 'a b', ' a', 'a ', '\u00a0',
  '\u2028', '\u2029', '\u200b', '\u202e', '\ufeff', 'https://evil.test', 'http://evil.test',
  'https:evil.test', 'javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd',
  'ftp://evil.test', 'evil.test/', 'evil.test.', '.evil.test', 'evil..test', '-evil', 'evil-',
  'evil.test:443', '[::1]', '::1', '127.0.0.1', '0x7f.1', '2130706433', '0177.0.0.1', '127.1',
  '１２７.０.０.１', 'ｅvil', 'evil。test', 'evil．test', 'evil｡test', 'ex℀mple', 'a\u00adb', 'xn--',
  'xn--a', 'xn--80ak6aa92e', 'ünïcode', '例え', '🙂', '\ud800', '\udfff', 'a\ud800b', '${shop}',
  '${x}', '$', '{', '}', '${', '$${a}', '<', '>', '<script>', '"', "'", '`', '|', '^', '~', '*',
  '(', ')', '!', ',', '+', 'a+b', '_', '-', '.a', 'a.', '...', '....', '.. ', ' ..', '..;',
  '..;/x', '.;', '%252e%252e', '%c0%ae%c0%ae', '%u002e', '..%00', '..%c0%af', '..%255c',
  'a%2f..%2fb', 'a\\..\\b', './', '.\\', '\u0000..', '\u0008', '\u001b[31m', '\u007f', '\u0085',
  '\u009f', 'a'.repeat(64), 'a'.repeat(254), 'a'.repeat(2_049), `${'a.'.repeat(130)}a`, '0', '1',
  '00', '-1', '1e308', 'null', 'undefined', 'NaN', 'true', '[object Object]', 'constructor',
  '__proto__', 'localhost', 'LOCALHOST', 'metadata.google.internal', '169.254.169.254',
  'a.b.c.d', 'A', 'Acme', 'acme', 'acme-1', '1acme', 'a--b', 'a_b', 'tenant/../admin', 'common',
  '9188040d-6c67-4c5b-b112-36a304b66dad', 'a\nb', 'a\u000bb', 'https://a@b', 'https://a:b@c',
  'https://', 'https:///', 'https://a b', 'https://a/..', 'https://a/%2e%2e/b', 'https://a?b',
  'https://a#b', 'https://a\\b', 'HTTPS://A', 'https://a:99999', 'https://[::1', 'https://a/b/c',
  'https://a:8443', 'https://a.test/', 'https://a.test//b', 'wss://a', 'blob:https://a',
  'a\u2044b', 'a\u2215b', 'a%', '%zz', 'a%20b', '@', ':', '[', ']', 'a[0]',
]
