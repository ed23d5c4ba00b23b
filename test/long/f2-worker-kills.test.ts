// F2: more than a hundred workers are killed while alerts open and end. The gate kills fewer.

process.env.KILLED_PROCESSES = '13'
await import('../gates/worker-kills.test.ts')
