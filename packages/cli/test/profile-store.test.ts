import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createProfileStore } from '../src/profile-store.ts'

describe('The profiles of a user without a home', () => {
  it('are empty, so that commands which need none run in a container', async () => {
    const store = createProfileStore({}, () => {
      throw new Error('ERR_SYSTEM_ERROR: uv_os_homedir returned ENOENT')
    })
    assert.equal(await store.get('default'), undefined)
    assert.equal(store.folder, '/nonexistent/.config/linchpin')
  })
})
