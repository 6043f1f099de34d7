// Writes the icons of the console from Lucide (ISC): `node scripts/icons/write-console-icons.ts`.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** Our name of each icon, and Lucide's. */
const NAMES: Readonly<Record<string, string>> = {
  alert: 'triangle-alert',
  arrowRight: 'arrow-right',
  attempts: 'list-checks',
  audit: 'shield-check',
  back: 'arrow-left',
  calendar: 'calendar',
  check: 'check',
  chevronDown: 'chevron-down',
  chevronRight: 'chevron-right',
  clock: 'clock',
  close: 'x',
  code: 'code-xml',
  connections: 'plug',
  copy: 'copy',
  customers: 'building-2',
  disconnect: 'unplug',
  download: 'download',
  error: 'circle-x',
  external: 'external-link',
  eye: 'eye',
  eyeOff: 'eye-off',
  filter: 'list-filter',
  good: 'circle-check',
  history: 'history',
  info: 'info',
  integrations: 'blocks',
  key: 'key-round',
  links: 'link',
  lock: 'lock',
  logs: 'scroll-text',
  mail: 'mail',
  members: 'users',
  more: 'ellipsis',
  overview: 'layout-dashboard',
  passkey: 'fingerprint-pattern',
  pause: 'pause',
  play: 'play',
  plus: 'plus',
  qr: 'qr-code',
  refresh: 'rotate-cw',
  search: 'search',
  send: 'send',
  settings: 'settings',
  signOut: 'log-out',
  switch: 'chevrons-up-down',
  terminal: 'terminal',
  theme: 'sun-moon',
  trash: 'trash-2',
  user: 'user',
  webhooks: 'webhook',
  welcome: 'rocket',
}

interface IconSet {
  readonly icons: Readonly<Record<string, { readonly body: string }>>
  readonly aliases?: Readonly<Record<string, { readonly parent: string }>>
}

const file = createRequire(import.meta.url).resolve('@iconify-json/lucide/icons.json')
const { icons, aliases } = JSON.parse(readFileSync(file, 'utf8')) as IconSet

const rows = Object.entries(NAMES).map(([name, source]) => {
  const icon = icons[source] ?? icons[aliases?.[source]?.parent ?? '']
  if (icon === undefined) throw new Error(`Lucide has no icon ${source}`)
  const shapes = icon.body
    .replace(
      / (?:fill="none"|stroke="currentColor"|stroke-linecap="round"|stroke-linejoin="round"|stroke-width="2")/g,
      '',
    )
    .replace(/^<g>(.*)<\/g>$/, '$1')
  return `  ${name}: '${shapes.replaceAll("'", "\\'")}',`
})
writeFileSync(
  new URL('../../packages/server/src/console/parts/icon-shapes.ts', import.meta.url),
  `/** The shapes of the console's icons, from Lucide (ISC license). Written by scripts/icons/write-console-icons.ts. */\nexport const ICON_SHAPES = {\n${rows.join('\n')}\n} as const\n`,
)
