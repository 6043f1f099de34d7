// Writes icons/{key}.svg for every integration that names an icon of simple-icons (CC0), a dev dependency. The files are
// committed, so that a service does not need the package. Usage: node packages/catalogue/write-icons.mjs
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import * as icons from 'simple-icons'

const here = path.dirname(fileURLToPath(import.meta.url))
const folder = path.join(here, 'icons')
// The background of icons, in light and dark mode.
const TILE = luminance('f1f3f6')
const bySlug = new Map(Object.values(icons).map((icon) => [icon.slug, icon]))

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
for (const file of globSync('src/integrations/*.ts', { cwd: here }).sort()) {
  const source = readFileSync(path.join(here, file), 'utf8')
  const slug = /^ {2}icon: '([^']+)',$/m.exec(source)?.[1]
  if (file.endsWith('.fixtures.ts') || slug === undefined) continue
  const icon = bySlug.get(slug)
  if (icon === undefined) throw new Error(`${file}: simple-icons has no ${slug}`)
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="#${readable(icon.hex)}"><path d="${icon.path}"/></svg>\n`
  writeFileSync(path.join(folder, `${path.basename(file, '.ts')}.svg`), svg)
}

// The brand color, darkened to a contrast of 3:1 with the background (WCAG 2.2, 1.4.11).
function readable(hex) {
  let colour = hex.toLowerCase()
  while ((TILE + 0.05) / (luminance(colour) + 0.05) < 3)
    colour = channels(colour)
      .map((value) =>
        Math.floor(value * 0.95)
          .toString(16)
          .padStart(2, '0'),
      )
      .join('')
  return colour
}

function luminance(hex) {
  const [red, green, blue] = channels(hex).map((value) => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function channels(hex) {
  return hex.match(/../g).map((pair) => Number.parseInt(pair, 16))
}
