package io.tidemark.journal;

import io.tidemark.journal.SimulatedDisk.Node;
import io.tidemark.journal.SimulatedDisk.Op;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;

/** An open file, or directory, of a {@link SimulatedDisk}. */
final class SimulatedChannel extends FileChannel {
  private final SimulatedDisk disk;
  private final Path path;
  private final Node node;
  private long position;

  SimulatedChannel(SimulatedDisk disk, Path path, Node node) {
    this.disk = disk;
    this.path = path;
    this.node = node;
  }

  private void before(Op op) throws IOException {
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
    disk.before(op, path);
  }

  @Override
  public int read(ByteBuffer into, long at) throws IOException {
    before(Op.READ);
    synchronized (disk) {
      return node.file().read(into, at);
    }
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    int read = read(into, position);
    position += Math.max(0, read);
    return read;
  }

  @Override
  public int write(ByteBuffer bytes, long at) throws IOException {
    before(Op.WRITE);
    synchronized (disk) {
      return disk.write(node.file(), bytes, at);
    }
  }

  @Override
  public int write(ByteBuffer bytes) throws IOException {
    int written = write(bytes, position);
    position += written;
    return written;
  }

  @Override
  public FileChannel truncate(long size) throws IOException {
    before(Op.WRITE);
    synchronized (disk) {
      node.file().truncate(size);
    }
    return this;
  }

  @Override
  public void force(boolean metaData) throws IOException {
    try {
      before(node.file() == null ? Op.FORCE_DIRECTORY : Op.FORCE);
    } catch (IOException e) {
      synchronized (disk) {
        node.forceFailed();
      }
      throw e;
    }
    synchronized (disk) {
      node.force();
    }
  }

  @Override
  public long size() throws IOException {
    before(Op.LOOK);
    synchronized (disk) {
      return node.file().size();
    }
  }

  @Override
  public long position() {
    return position;
  }

  @Override
  public FileChannel position(long newPosition) {
    position = newPosition;
    return this;
  }

  @Override
  public FileLock tryLock(long from, long size, boolean shared) {
    return new FileLock(this, from, size, shared) {
      @Override
      public boolean isValid() {
        return SimulatedChannel.this.isOpen();
      }

      @Override
      public void release() {}
    };
  }

  @Override
  protected void implCloseChannel() {}

  @Override
  public FileLock lock(long from, long size, boolean shared) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long read(ByteBuffer[] into, int offset, int length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long write(ByteBuffer[] bytes, int offset, int length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long transferTo(long from, long count, WritableByteChannel target) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long transferFrom(ReadableByteChannel source, long at, long count) {
    throw new UnsupportedOperationException();
  }

  @Override
  public MappedByteBuffer map(MapMode mode, long from, long size) {
    throw new UnsupportedOperationException();
  }
}
