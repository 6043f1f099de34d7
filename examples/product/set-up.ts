import type { Linchpin } from '@linchpin/sdk'

/** What the backend has to know: keep it in its settings. */
export interface ProductSettings {
  readonly linchpinToken: string
  readonly webhookSecret: string
}

/** Prepares a Linchpin for the product, once. @param productUrl the origin of its pages */
export async function setUp(
  owner: Linchpin,
  { productUrl, webhookUrl }: { readonly productUrl: string; readonly webhookUrl: string },
): Promise<ProductSettings> {
  const [workspace] = await owner.workspaces.list().first(1)
  if (workspace === undefined) throw new Error('The token has no workspace.')
  const { workspaceId } = workspace
  await owner.workspaces.update(workspaceId, {
    name: 'Ticket Board',
    allowedFrameOrigins: [productUrl],
  })
  const { token } = await owner.tokens.create({
    name: 'Backend',
    workspaceId,
    scopes: ['read', 'links:write', 'accounts:write', 'proxy'],
  })
  const { secret } = await owner.webhookEndpoints.create({ url: webhookUrl, types: ['account.*'] })
  return { linchpinToken: token, webhookSecret: secret }
}
