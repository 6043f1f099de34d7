// Writes icons/{key}.svg for every integration that icon-sources.mjs or its definition names an icon of, in the brand's own
// colors, and icons/sources.json with the set of each. The files are committed, so that a service needs neither package.
// Usage: node packages/catalogue/write-icons.mjs [folder]
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { icons as logos } from '@iconify-json/logos'
import * as simpleIcons from 'simple-icons'
import { LOGOS } from './icon-sources.mjs'

const here = path.dirname(fileURLToPath(import.meta.url))
const folder = process.argv[2] ?? path.join(here, 'icons')
const bySlug = new Map(Object.values(simpleIcons).map((icon) => [icon.slug, icon]))
const files = globSync('entries/*.{json,ts}', { cwd: here })
  .filter((file) => !/\.fixtures\.(?:json|ts)$/.test(file))
  .map((file) => [path.parse(file).name, path.join(here, file)])
  .sort()

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const sources = {}
for (const [key, file] of files) {
  const icon = key in LOGOS ? fromLogos(key, LOGOS[key]) : fromSimpleIcons(key, file)
  if (icon === undefined) continue
  writeFileSync(path.join(folder, `${key}.svg`), icon.svg)
  sources[key] = icon.source
}
writeFileSync(path.join(folder, 'sources.json'), `${JSON.stringify(sources, null, 2)}\n`)

function fromLogos(key, { name, viewBox }) {
  const icon = logos.icons[name]
  if (icon === undefined) throw new Error(`${key}: logos has no ${name}`)
  const { left = 0, top = 0, width = logos.width, height = logos.height, body } = icon
  const box = viewBox ?? `${left} ${top} ${width} ${height}`
  // A style attribute would need an exception in the content security policy.
  const shapes = body.replaceAll('style="mask-type:alpha"', 'mask-type="alpha"')
  return { svg: toSvg(box, shapes), source: `logos:${name}` }
}

function fromSimpleIcons(key, file) {
  const slug = /^ {2}"?icon"?: ['"]([^'"]+)['"],$/m.exec(readFileSync(file, 'utf8'))?.[1]
  if (slug === undefined) return undefined
  const icon = bySlug.get(slug)
  if (icon === undefined) throw new Error(`${key}: simple-icons has no ${slug}`)
  const shape = `<path fill="#${icon.hex.toLowerCase()}" d="${icon.path}"/>`
  return { svg: toSvg('0 0 24 24', shape), source: `simple-icons:${slug}` }
}

function toSvg(viewBox, body) {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${viewBox}">${body}</svg>\n`
}
