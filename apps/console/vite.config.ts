import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

export default defineConfig({
  plugins: [react(), tailwind(), compressed()],
  build: {
    // What understands `light-dark()`, in which all colors are written.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    // An inlined file would need `data:` in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    chunkSizeWarningLimit: 700,
  },
  // For work on the console itself: `npx vite` in this folder beside `npm start` in another terminal.
  server: { proxy: { '/trpc': 'http://127.0.0.1:3000', '/api/': 'http://127.0.0.1:3000' } },
})

/** Writes each file a second and third time, compressed, so that the server need not do it for every visitor. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    writeBundle({ dir = '' }) {
      const folder = join(dir, 'assets')
      for (const name of readdirSync(folder).filter((each) => /\.(js|css|svg)$/.test(each))) {
        const path = join(folder, name)
        const content = readFileSync(path)
        writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }))
        writeFileSync(`${path}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }))
      }
    },
  }
}
