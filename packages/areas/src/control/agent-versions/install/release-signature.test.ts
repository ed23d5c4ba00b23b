// The C# in install.ps1 that checks the signature of a release, compiled and run by mono.
import { execFile } from 'node:child_process'
import { generateKeyPairSync, sign } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createReleaseKey } from '@muster/releases/keys.ts'
import { debianPackages } from '@muster/testkit/debian.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const run = promisify(execFile)
const scratch = mkdtempSync(join(tmpdir(), 'muster-signature-'))
afterAll(() => rmSync(scratch, { recursive: true }))

/** Answers one question per line: a method and its arguments in base64. */
const program = `
using System;
using System.Text;

public static class Program
{
    public static void Main()
    {
        for (var line = Console.ReadLine(); line != null; line = Console.ReadLine())
        {
            var words = line.Split(' ');
            try { Console.WriteLine(Answer(words[0], index => Convert.FromBase64String(words[index]))); }
            catch (FormatException error) { Console.WriteLine(error.Message); }
        }
    }

    private static object Answer(string method, Func<int, byte[]> bytes)
    {
        if (method == "verify") return ReleaseSignature.Verify(bytes(1), bytes(2), bytes(3));
        if (method == "signers") return ReleaseSignature.Signers(bytes(1), bytes(2), Encoding.ASCII.GetString(bytes(3)));
        return ReleaseSignature.HashOf(bytes(1), Encoding.ASCII.GetString(bytes(2))) ?? "none";
    }
}
`

const ask = async (method: string, ...args: (string | Buffer)[]): Promise<string> => {
  const question = [method, ...args.map((each) => Buffer.from(each).toString('base64'))].join(' ')
  const running = run('mono', [join(scratch, 'program.exe')])
  running.child.stdin?.end(`${question}\n`)
  return (await running).stdout.trim()
}
const hex = (text: string) => Buffer.from(text, 'hex')
const order = 2n ** 252n + 27742317777372353535851937790883648493n
const littleEndian = (value: bigint) => hex(value.toString(16).padStart(64, '0')).reverse()
const numberIn = (bytes: Buffer) => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)

beforeAll(async () => {
  await debianPackages('/usr/bin/mcs', 'mono-mcs', 'mono-runtime', 'libmono-system-numerics4.0-cil')
  const source = fileURLToPath(new URL('./release-signature.cs', import.meta.url))
  writeFileSync(join(scratch, 'program.cs'), program)
  const references = ['-r:System.Numerics.dll', '-r:System.Core.dll']
  // Windows PowerShell compiles C# 5.
  const args = ['-langversion:5', '-warnaserror', ...references, `-out:${join(scratch, 'program.exe')}`]
  await run('mcs', [...args, source, join(scratch, 'program.cs')])
}, 600_000)

describe('the signature check of install.ps1', () => {
  it.each([
    [
      'empty message',
      'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
      '',
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
    ],
    [
      'one byte',
      '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
      '72',
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
    ],
    [
      'two bytes',
      'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
      'af82',
      '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
    ],
    [
      'a hash',
      'ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf',
      'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f',
      'dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704',
    ],
  ])('accepts the vector of RFC 8032 with %s', async (_, key, message, signature) => {
    expect(await ask('verify', hex(key), hex(message), hex(signature))).toBe('True')
  })

  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const raw = (publicKey.export({ format: 'der', type: 'spki' }) as Buffer).subarray(12)
  const message = Buffer.from(`${'a'.repeat(64)}  muster-agent-windows-x64\n`)
  const signature = sign(null, message, privateKey)
  const changed = (bytes: Buffer, at: number) => {
    const copy = Buffer.from(bytes)
    copy[at] = (copy[at] ?? 0) ^ 1
    return copy
  }
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32)]
  const neutral = littleEndian(1n)

  it('accepts what node has signed', async () => {
    expect(await ask('verify', raw, message, signature)).toBe('True')
  })

  it.each<[string, Buffer, Buffer, Buffer]>([
    ['another message', raw, changed(message, 0), signature],
    ['another key', hex(createReleaseKey().tuf.keyVal.public ?? ''), message, signature],
    ['a changed R', raw, message, changed(signature, 0)],
    ['a changed S', raw, message, changed(signature, 40)],
    ['S increased by the order', raw, message, Buffer.concat([r, littleEndian(numberIn(s) + order)])],
    ['S equal to the order', raw, message, Buffer.concat([neutral, littleEndian(order)])],
    ['zeros', raw, message, Buffer.alloc(64)],
    ['the neutral point and zero', raw, message, Buffer.concat([neutral, Buffer.alloc(32)])],
    ['63 bytes', raw, message, signature.subarray(0, 63)],
    ['65 bytes', raw, message, Buffer.concat([signature, Buffer.alloc(1)])],
    ['nothing', raw, message, Buffer.alloc(0)],
    ['R and S exchanged', raw, message, Buffer.concat([s, r])],
    ['a key that is no point', littleEndian(2n), message, signature],
    ['a key beyond the field', littleEndian(2n ** 255n - 18n), message, signature],
    ['a key with a sign of x = 0', littleEndian(1n + 2n ** 255n), message, signature],
    ['a key of 31 bytes', raw.subarray(1), message, signature],
  ])('rejects %s', async (_, key, text, wrong) => {
    expect(await ask('verify', key, text, wrong)).toBe('False')
  })

  it('counts each key that has signed once, in any order of the signatures', async () => {
    const [one, two, stranger] = [createReleaseKey(), createReleaseKey(), createReleaseKey()]
    const signers = (signatures: Buffer[], pems: string[]) =>
      ask('signers', message, Buffer.concat(signatures), pems.join(''))
    const [first, second] = [one.sign(message), two.sign(message)]
    const pems = [one.pem, two.pem]
    expect(await signers([second, first], pems)).toBe('2')
    expect(await signers([first, first], pems)).toBe('1')
    expect(await signers([first], [...pems, one.pem])).toBe('1')
    expect(await signers([stranger.sign(message), second], pems)).toBe('1')
    expect(await signers([first.subarray(0, 63)], pems)).toBe('0')
    expect(await signers([], pems)).toBe('0')
    const misplaced = Buffer.concat([Buffer.alloc(1), first])
    expect(await signers([misplaced], pems)).toBe('0')
  })

  it('rejects keys of another kind and damaged ones', async () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey
    const pem = other.export({ format: 'pem', type: 'spki' }).toString()
    expect(await ask('signers', message, signature, pem)).toBe('a public key is not an Ed25519 key')
    const cut = '-----BEGIN PUBLIC KEY-----\nMCow'
    expect(await ask('signers', message, signature, cut)).toBe('a public key has no end')
  })

  it('finds the hash of exactly this file', async () => {
    const sums = `${'b'.repeat(64)}  other-muster-agent-windows-x64\n${message}${'c'.repeat(64)}  muster-agent-windows-x64x\n`
    expect(await ask('hash', sums, 'muster-agent-windows-x64')).toBe('a'.repeat(64))
    expect(await ask('hash', sums, 'muster-agent-windows-arm64')).toBe('none')
    expect(await ask('hash', '', 'muster-agent-windows-x64')).toBe('none')
  })
})
