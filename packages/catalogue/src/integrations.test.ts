import { testIntegrations } from '@linchpin/kit/testing'

testIntegrations(new URL('../entries/', import.meta.url))
