import { describe, expect, test } from 'vitest'
import { configOf, draftOf, faultOf } from './monitorDraft.ts'

const place = { orgId: '7b0c3a52-6a2f-4b6d-9f2e-2a5a3c1d9e10', siteId: null }
const draft = draftOf(undefined, place)

describe('the config of an http monitor', () => {
  test('leaves out secrets that were not entered, so that the stored ones stay', () => {
    expect(configOf(draft)).toEqual({ method: 'GET', verifyTls: true, certificateDays: null })
  })

  test('has entered headers and a body', () => {
    const config = configOf({ ...draft, method: 'POST', headers: 'Authorization: Bearer x\nX-Site: 1', body: 'ping' })
    expect(config).toMatchObject({ headers: { Authorization: 'Bearer x', 'X-Site': '1' }, body: 'ping' })
  })

  test('removes stored secrets', () => {
    expect(configOf({ ...draft, dropsHeaders: true, dropsBody: true })).toMatchObject({ headers: {}, body: null })
  })

  test('reads statuses from a list', () => {
    expect(configOf({ ...draft, expectStatus: '200, 204 301' })).toMatchObject({ expectStatus: [200, 204, 301] })
  })
})

test('reads expected answers of a dns monitor from lines', () => {
  const config = configOf({ ...draft, type: 'dns', recordType: 'MX', answers: '10 mx.example.com\n\n' })
  expect(config).toEqual({ recordType: 'MX', expect: ['10 mx.example.com'] })
})

test('says what is missing', () => {
  expect(faultOf(draft)).toBe('Enter a name')
  expect(faultOf({ ...draft, name: 'Shop' })).toBe('Enter a URL')
  expect(faultOf({ ...draft, name: 'Shop', type: 'tcp', target: 'db.example.com' })).toBe('Enter a port')
  expect(faultOf({ ...draft, name: 'Shop', target: 'https://example.com' })).toBeUndefined()
})
