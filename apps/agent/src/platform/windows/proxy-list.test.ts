import { describe, expect, test } from 'vitest'
import { isBypassed, proxiesIn } from './proxy-list.ts'

describe('lists of proxies', () => {
  test.each([
    ['proxy:8080', 'https', ['http://proxy:8080']],
    ['http=a:80;https=b:443', 'https', ['http://b:443']],
    ['a:1; b:2 c:3', 'https', ['http://a:1', 'http://b:2', 'http://c:3']],
    ['https=https://secure.test:3129', 'https', ['https://secure.test:3129']],
    ['socks=s:1080', 'https', []],
    ['', 'https', []],
  ])('%j for %s is %j', (list, scheme, proxies) => {
    expect(proxiesIn(list, scheme)).toEqual(proxies)
  })

  test.each([
    ['<local>', 'muster', true],
    ['<local>', 'muster.example.com', false],
    ['<local>', '[fd00::1]', false],
    ['*.example.com;10.*', 'muster.example.com', true],
    ['*.example.com;10.*', 'MUSTER.EXAMPLE.COM', true],
    ['*.example.com;10.*', '10.1.2.3', true],
    ['*.example.com;10.*', '110.1.2.3', false],
    ['*.example.com', 'example.com', false],
    ['http://muster.test', 'muster.test', true],
    ['a.c', 'abc', false],
    ['', 'muster.test', false],
  ])('%j as exceptions name %s: %j', (list, host, isNamed) => {
    expect(isBypassed(list, host)).toBe(isNamed)
  })
})
