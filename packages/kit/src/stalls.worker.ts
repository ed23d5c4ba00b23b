// The other thread of `watchStalls`: it has an event loop of its own, which goes on when that of the process does not.
import { writeSync } from 'node:fs'
import { type Debugger, Session } from 'node:inspector'
import { workerData } from 'node:worker_threads'
import { z } from 'zod'

const lookMs = 250
/** Nothing that a request does takes so long without a pause. */
const stallMs = 1_000
const framesMax = 15

const { app, beats } = z.object({ app: z.string(), beats: z.instanceof(Int32Array) }).parse(workerData)
let heard = 0
let heardAt = performance.now()
let told = false

setInterval(() => {
  const beat = Atomics.load(beats, 0)
  if (beat !== heard) {
    heard = beat
    heardAt = performance.now()
    told = false
  } else if (!told && performance.now() - heardAt > stallMs) {
    told = true
    tell(Math.round(performance.now() - heardAt))
  }
}, lookMs)

function tell(silentMs: number): void {
  const session = new Session()
  session.connectToMainThread()
  session.once('Debugger.paused', ({ params: { callFrames } }) => {
    const [top] = callFrames
    const finish = (words: unknown) => {
      say({ silentMs, ...Object(words), at: callFrames.slice(0, framesMax).map(placeOf) })
      session.post('Debugger.resume', () => session.disconnect())
    }
    if (top === undefined) return finish({})
    const expression = `process[Symbol.for('muster.lastWords')]()`
    const question = { callFrameId: top.callFrameId, expression, returnByValue: true }
    session.post(
      'Debugger.evaluateOnCallFrame',
      question,
      (_error, answer: Debugger.EvaluateOnCallFrameReturnType | undefined) => finish(answer?.result.value),
    )
  })
  session.post('Debugger.enable')
  session.post('Debugger.pause')
}

const placeOf = ({ functionName, url, location }: Debugger.CallFrame) =>
  `${functionName || '(anonymous)'} ${url}:${location.lineNumber + 1}`

/** Straight to the log: the ordinary way leads through the thread that stands still. */
function say(what: object): void {
  const line = {
    level: 50,
    time: new Date().toISOString(),
    app,
    pid: process.pid,
    ...what,
    msg: 'the event loop stands still',
  }
  writeSync(1, `${JSON.stringify(line)}\n`)
}
