// Preloaded into a process under test: on SIGUSR2 the process causes the fault in FAULT_FILE.
import { readFileSync } from 'node:fs'

process.on('SIGUSR2', () => {
  const fault = readFileSync(process.env.FAULT_FILE, 'utf8')
  if (fault === 'hang') for (;;);
  if (fault === 'reject') Promise.reject(new Error('an unhandled fault'))
  // In steps, like work on a growing number of rows: it takes a while to run out of memory.
  const moment = new Int32Array(new SharedArrayBuffer(4))
  if (fault === 'allocate') for (const all = []; ; Atomics.wait(moment, 0, 0, 6)) all.push(new Array(100_000).fill({}))
})
