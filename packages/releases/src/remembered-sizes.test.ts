import { readSmall, replaceWith } from '@muster/files/object-store.ts'
import { S3Store } from '@muster/files/s3-store.ts'
import { S3Server } from '@muster/files/testing/s3-server.ts'
import { afterAll, describe, expect, it } from 'vitest'
import { createReleaseKey } from './keys.ts'
import { rememberingSizes } from './remembered-sizes.ts'
import { Repository } from './repository.ts'

const server = await S3Server.start()
afterAll(() => server.stop())

describe('releases in an object store', () => {
  // The prefix is part of the address, as RELEASES_S3_URL allows.
  const store = rememberingSizes(new S3Store({ ...server.settings, url: `${server.url}/releases` }))
  const write = (key: string, text: string) => replaceWith(store, key, Buffer.from(text))

  it('requests a size once for concurrent readers, and again after a change', async () => {
    await write('targets/2.0.0/file', '01234')
    const before = server.asked.length
    const sizes = await Promise.all(Array.from({ length: 50 }, () => store.size('targets/2.0.0/file')))
    expect(new Set(sizes)).toEqual(new Set([5]))
    expect(server.asked.slice(before)).toEqual(['HeadObject'])
    await write('targets/2.0.0/file', '0123456')
    expect(await store.size('targets/2.0.0/file')).toBe(7)
    await store.remove('targets/2.0.0/file')
    expect(await store.size('targets/2.0.0/file')).toBeNull()
    expect(await store.size('targets/2.0.0/none')).toBeNull()
    await write('targets/2.0.0/none', '0')
    expect(await store.size('targets/2.0.0/none')).toBe(1)
  })

  it('stores a repository', async () => {
    const [release, online] = [createReleaseKey(), createReleaseKey()]
    const repository = new Repository(store)
    await repository.begin({ release: [release], threshold: 1, online })
    await repository.add([{ version: '1.0.0', os: 'linux', arch: 'arm64', bytes: Buffer.from('agent') }], [release])
    await repository.renew(online)
    expect(await repository.published()).toMatchObject([{ version: '1.0.0', arch: 'arm64', size: 5 }])
    expect(await readSmall(store, 'metadata/root.json')).not.toBeNull()
    expect([...server.objects.keys()].every((key) => key.startsWith('releases/'))).toBe(true)
  })
})
