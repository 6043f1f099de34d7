import { readFileSync } from 'node:fs'
import { Html } from './html.ts'

const SOURCE = readFileSync(new URL('./favicon.svg', import.meta.url), 'utf8')

/** Our logo, for pages that are about Linchpin. The pages that customers see have the logo of the product. */
export function logo(size = 24): Html {
  const hidden = SOURCE.replace(/<title>.*?<\/title>/, '').trim()
  return new Html(
    hidden.replace('<svg ', `<svg width="${size}" height="${size}" aria-hidden="true" `),
  )
}
