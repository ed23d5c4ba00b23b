#!/usr/bin/env node
// Installs Node 22 and the dependencies, then runs a script of this project or an installed tool with them.
// Plain JavaScript without our own imports: it must run under the machine's Node with nothing installed.

import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const runtime = join(root, '.runtime')
const modules = join(root, 'node_modules')
const usage = 'usage: node scripts/run.mjs <file.ts> [arguments…] | node scripts/run.mjs --bin <tool> [arguments…]'

// The Node version for Muster, by platform, from npm. The hash pins the exact file.
const runtimes = JSON.parse(readFileSync(join(root, 'scripts/runtimes.json'), 'utf8'))
// Native programs repackaged for npm: the exact files, by package. See docs/supply-chain.md.
const nativeFiles = JSON.parse(readFileSync(join(root, 'scripts/native-files.json'), 'utf8'))

class Failure extends Error {}

async function main() {
  const [first, ...rest] = process.argv.slice(2)
  if (!first || (first === '--bin' && !rest[0])) throw new Failure(usage)
  const node = (await ownNode()) ?? (await installedNode())
  const env = { ...process.env, PATH: [dirname(node), process.env.PATH].filter(Boolean).join(delimiter) }
  await ensureDependencies(node, env)
  if (first === '--bin') return run(join(modules, '.bin', rest[0]), rest.slice(1), env, false)
  const file = resolve(root, first)
  if (!existsSync(file)) throw new Failure(`${first} does not exist. ${usage}`)
  return run(node, [file, ...rest], env, true)
}

function ownNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  return major === 22 && minor >= 18 ? process.execPath : undefined
}

async function installedNode() {
  const wanted = runtimes[`${process.platform}-${process.arch}`]
  if (!wanted) {
    throw new Failure(
      `Muster needs Node 22 (22.18 or later); this is ${process.version}, and for ${process.platform}-${process.arch} ` +
        'it has to be installed manually:  https://nodejs.org/en/download',
    )
  }
  const binary = join(runtime, 'node_modules', wanted.name, 'bin', 'node')
  const stamp = join(runtime, 'installed')
  const id = `${wanted.name} ${wanted.version}`
  const ready = () => readText(stamp) === id && existsSync(binary)
  if (ready()) return binary
  await underLock(async () => {
    if (ready()) return
    if (versionOf(binary) !== wanted.version) {
      writeRuntimeManifest(wanted)
      await npm([process.execPath], ['ci'], process.env, runtime, `Node ${wanted.version}`)
    }
    if (versionOf(binary) !== wanted.version) {
      throw new Failure(`Node ${wanted.version} was installed but does not run on this machine (${binary}).`)
    }
    requireHash(binary, wanted.sha256)
    writeFileSync(stamp, id)
  })
  return binary
}

// npm verifies the archive that it downloads. This verifies the file that will run, also from a cache or a manual copy.
function requireHash(file, sha256) {
  const found = createHash('sha256').update(readFileSync(file)).digest('hex')
  if (found !== sha256)
    throw new Failure(
      `${file} is not the pinned file (sha256 ${found}): Remove it and try again. See docs/supply-chain.md.`,
    )
}

function checkNativeFiles() {
  for (const [path, sha256] of Object.entries(nativeFiles))
    if (existsSync(join(modules, path))) requireHash(join(modules, path), sha256)
}

// Lock file entries without a hash are for platforms whose packages the build registry does not serve.
function nameUnverified({ packages }) {
  const installed = Object.entries(packages).filter(
    ([path, { integrity, link }]) =>
      path.includes('node_modules/') && !integrity && !link && existsSync(join(root, path)),
  )
  if (installed.length === 0) return
  const names = installed.map(([path]) => path.replace(/.*node_modules\//, ''))
  say(`warning: installed without a pinned hash: ${names.join(', ')}. See docs/supply-chain.md.`)
}

// npm runs no package scripts (.npmrc): those that package.json allows are run here, with every npm version.
function runAllowedScripts(env) {
  const { allowScripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  for (const [name, isAllowed] of Object.entries(allowScripts)) {
    const folder = join(modules, name)
    const script = isAllowed && readText(join(folder, 'package.json'))
    if (!script) continue
    const { preinstall, install, postinstall } = JSON.parse(script).scripts ?? {}
    for (const line of [preinstall, install, postinstall].filter(Boolean)) {
      const { status } = spawnSync(line, { cwd: folder, env, shell: true, stdio: 'ignore' })
      if (status !== 0) throw new Failure(`The install script of ${name} failed: ${line}`)
    }
  }
}

function versionOf(binary) {
  const asked = spawnSync(binary, ['--version'], { encoding: 'utf8' })
  return asked.status === 0 ? asked.stdout.trim().slice(1) : undefined
}

function writeRuntimeManifest({ name, version, integrity }) {
  const dependencies = { [name]: version }
  const packages = { '': { dependencies }, [`node_modules/${name}`]: { version, integrity } }
  writeFileSync(join(runtime, 'package.json'), JSON.stringify({ private: true, dependencies }))
  writeFileSync(
    join(runtime, 'package-lock.json'),
    JSON.stringify({ name: '.runtime', lockfileVersion: 3, requires: true, packages }),
  )
}

async function ensureDependencies(node, env) {
  const lock = readText(join(root, 'package-lock.json'))
  if (!lock) throw new Failure('package-lock.json is missing: this copy of Muster is incomplete.')
  const stamp = join(modules, '.installed-for')
  const wanted = createHash('sha256').update(lock).digest('hex')
  if (readText(stamp) === wanted) return
  await underLock(async () => {
    if (readText(stamp) === wanted) return
    if (!holdsAll(JSON.parse(lock))) {
      // npm selects optional platform packages for the Node that runs it, so it must run under this one.
      await npm([node], ['ci'], env, root, 'dependencies')
    }
    checkNativeFiles()
    nameUnverified(JSON.parse(lock))
    runAllowedScripts(env)
    writeFileSync(stamp, wanted)
  })
}

// True after a manual `npm install` under the right Node: npm's own record of node_modules matches the lock file.
function holdsAll(lock) {
  const record = readText(join(modules, '.package-lock.json'))
  if (!record) return false
  const held = JSON.parse(record).packages
  return Object.entries(lock.packages).every(([path, wanted]) => {
    if (!path.includes('node_modules/') || wanted.link) return true
    if (held[path]) return held[path].version === wanted.version && (!wanted.optional || !excludesNode22(wanted))
    return wanted.optional && (!wanted.os || excludesNode22(wanted) || !isForThisMachine(wanted))
  })
}

function isForThisMachine({ os, cpu, libc }) {
  const fits = (list, value) => !list || [list].flat().includes(value)
  const here = process.report?.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl'
  return fits(os, process.platform) && fits(cpu, process.arch) && fits(libc, here)
}

function excludesNode22({ engines }) {
  const [, from] = /^>=(\d+)/.exec(engines?.node ?? '') ?? []
  const [, below] = /<(\d+)/.exec(engines?.node ?? '') ?? []
  return Number(from) > 22 || Number(below) <= 22
}

// Runs npm quietly with progress lines, and reports its failure in one line.
async function npm([node], args, env, cwd, what) {
  const cli = process.env.npm_execpath
  const [command, ...front] = cli && /npm-cli\.[cm]?js$/.test(cli) && existsSync(cli) ? [node, cli] : ['npm']
  const foreign =
    /^npm_(lifecycle|package|command|config_(loglevel|local_prefix|prefix|workspace|include_workspace_root|global))/
  const clean = Object.fromEntries(Object.entries(env).filter(([name]) => !foreign.test(name)))
  const started = Date.now()
  const seconds = () => ((Date.now() - started) / 1000).toFixed(0)
  say(`Installing ${what} …`)
  const life = setInterval(() => say(`  still installing ${what} (${seconds()} s)`), 10_000)
  const errors = []
  try {
    const code = await new Promise((done, fail) => {
      const child = spawn(command, [...front, ...args, '--no-audit', '--no-fund', '--no-progress'], {
        cwd,
        env: clean,
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      let rest = ''
      child.stderr.setEncoding('utf8').on('data', (chunk) => {
        const lines = (rest + chunk).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) {
          if (/^npm (error|ERR!)/.test(line)) errors.push(line.replace(/^npm (error|ERR!) ?/, '').trim())
          else if (line.trim() && !/^npm warn (Unknown \w+ config|config|deprecated|allow-scripts)\b/i.test(line))
            say(line)
        }
      })
      child.on('error', fail)
      child.on('close', done)
      onSignal = (signal) => child.kill(signal)
    })
    if (code !== 0) throw new Error(reasonOf(errors) ?? `npm exit ${code}`)
  } catch (error) {
    const reason = error.code === 'ENOENT' ? 'npm is not on the PATH' : error.message
    throw new Failure(`${what} could not be installed: ${reason.replace(/\.$/, '')}. (npm ${args.join(' ')} in ${cwd})`)
  } finally {
    clearInterval(life)
    onSignal = undefined
  }
  say(`✓ ${what} (${seconds()} s)`)
}

function reasonOf(errors) {
  const lines = errors.filter((line) => line && !/^(A complete log|code |syscall |errno |path )/.test(line))
  return lines.length > 0 ? lines.slice(0, 2).join(' ') : undefined
}

// Two commands started together must not both install: one does, the others wait for it.
async function underLock(work) {
  mkdirSync(runtime, { recursive: true })
  const lock = join(runtime, 'lock')
  const mine = `${lock}.${process.pid}`
  writeFileSync(mine, String(process.pid))
  for (let isNoted = false; ; ) {
    try {
      // A hard link appears with its content, so a lock without its holder's PID is never visible.
      linkSync(mine, lock)
      rmSync(mine)
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    const holder = Number(readText(lock))
    if (holder > 0 && !alive(holder)) {
      // Only one of several waiters can rename a dead command's lock away.
      const aside = `${mine}.aside`
      try {
        renameSync(lock, aside)
        if (Number(readText(aside)) !== holder) renameSync(aside, lock)
        else rmSync(aside)
      } catch (error) {
        if (error.code !== 'ENOENT') throw error
      }
      continue
    }
    if (!isNoted) say(`Waiting for another command that is installing (process ${holder || 'unknown'}) …`)
    isNoted = true
    await new Promise((done) => setTimeout(done, 200))
  }
  const release = () => rmSync(lock, { force: true })
  process.once('exit', release)
  try {
    await work()
  } finally {
    process.removeListener('exit', release)
    release()
  }
}

function alive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

// A script also gets an IPC channel: when this process is killed, the script sees the channel close.
function run(command, args, env, channel) {
  watchNpm()
  return new Promise((done, fail) => {
    const child = spawn(command, args, { env, stdio: ['inherit', 'inherit', 'inherit', ...(channel ? ['ipc'] : [])] })
    onSignal = (signal) => child.kill(signal)
    child.on('error', (error) => {
      fail(error.code === 'ENOENT' ? new Failure(`${command} does not exist. ${usage}`) : error)
    })
    child.on('exit', (code, signal) => done(signal ? 128 + constants.signals[signal] : code))
  })
}

// npm does not stop its children when it is killed; they would keep running.
function watchNpm() {
  if (!process.env.npm_lifecycle_event) return
  const npm = process.ppid
  setInterval(() => process.ppid !== npm && forward('SIGTERM'), 1_000).unref()
}

let onSignal
let lastSignal = { name: '', at: 0 }

// At a terminal Ctrl-C reaches the child directly; elsewhere npm and the sender may both forward the same signal.
function forward(signal) {
  const atTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY
  const repeated = lastSignal.name === signal && Date.now() - lastSignal.at < 300
  lastSignal = { name: signal, at: Date.now() }
  if (repeated || (signal === 'SIGINT' && atTerminal && onSignal)) return
  if (onSignal) onSignal(signal)
  else process.exit(128 + constants.signals[signal])
}

function readText(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function say(line) {
  process.stderr.write(`${line}\n`)
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => forward(signal))
try {
  process.exit(await main())
} catch (error) {
  say(`muster: ${error instanceof Failure ? error.message : error.stack}`)
  process.exit(1)
}
