import { exampleBundles } from '../examples/build.ts'
import { bundleRoutes } from '../examples/bundle-routes.ts'
import { createProvider } from '../examples/provider/provider.ts'

// The provider of the examples, and the bundles that call it.
process.once('message', async () => {
  const provider = createProvider({ routes: bundleRoutes(await exampleBundles()) })
  process.send?.(await provider.listen())
})
