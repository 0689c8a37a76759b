// A tiny service for the tests of startProcess: ready after READY_AFTER_MS, ends with code 3 when FAIL is set.
import { createServer } from 'node:http';

console.log(`hello, inherited: ${process.env.SECRET_OF_THE_PARENT ?? 'nothing'}`);
if (process.env.FAIL) {
  console.error('bad configuration');
  process.exit(3);
}
const from = Date.now() + Number(process.env.READY_AFTER_MS ?? 0);
createServer((request, response) => {
  response.statusCode = request.url === '/health/ready' && Date.now() >= from ? 200 : 503;
  response.end();
}).listen(Number(process.env.HEALTH_PORT), '127.0.0.1');
process.on('SIGTERM', () => {
  console.log('drained');
  process.exit(0);
});
