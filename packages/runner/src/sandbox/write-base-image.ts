import { readFileSync, writeFileSync } from 'node:fs'
import { encodeBaseImage } from './stored-images.ts'
import { VmPool } from './vm-pool.ts'
import { readEngine } from './wasm.ts'

// `node … write-base-image.ts <guest script> <output>`: part of `scripts/prepare.mjs`, with an empty environment.
const [, , guest = '', output = ''] = process.argv
// QuickJS stores when its contexts were created. With clocks that stand still, equal inputs make equal images, and a release
// can be built again byte for byte. Every call seeds Math.random itself.
Date.now = () => 0
performance.now = () => 0
const guestScript = readFileSync(guest, 'utf8')
const { image } = await VmPool.create(guestScript)
writeFileSync(output, encodeBaseImage(image, { guestScript, engine: readEngine() }))
